"""Matched clean and perturbed instances: editors make candidates, verifiers that know nothing of them decide."""
