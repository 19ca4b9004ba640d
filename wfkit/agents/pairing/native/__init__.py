"""The native validator: whether the benchmark itself would take the perturbed instance."""
