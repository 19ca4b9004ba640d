"""Damage of known severity: the perturbation types, each in its module, and the pairs made with them."""
