"""Executors: stateless, single-shot workers behind the contract of spec 1."""
