"""The gate: is a candidate still equivalent to its golden, judged by a policy over measured scores."""
