"""People: approvals, bundles, reminders, escalation (DESIGN, "What approvals promise")."""
