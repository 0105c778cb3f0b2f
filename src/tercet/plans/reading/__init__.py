"""Readers of plans: each gives a plan and the problems that it found; what is wrong is named, the rest is read."""
