"""What holds for every test: the machine's own settings and keys do not reach it."""

from __future__ import annotations

import logging
import os

import structlog

_FOREIGN_PREFIXES = ("TERCET_", "ANTHROPIC_", "OPENAI_")

# At import, before any test module is read: processes that tests start inherit the clean environment too.
for _name in [name for name in os.environ if name.startswith(_FOREIGN_PREFIXES)]:
    del os.environ[_name]

# Rendering tracebacks of failures that tests cause on purpose takes longer than the tests.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
