"""Suites that every implementation of a contract passes, ours and yours."""
