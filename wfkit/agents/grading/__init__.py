"""Running or replaying an agent on both sides of every pair, and grading it natively, with nothing lost."""
