"""Rows and how they are kept: tables, migrations, the group-commit journal, reads."""
