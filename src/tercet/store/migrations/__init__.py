"""Alembic migrations: forward, numbered, small."""
