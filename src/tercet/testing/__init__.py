"""Doubles that users of Tercet need too: a mock Claude server, conformance suites."""
