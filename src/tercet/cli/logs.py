"""Where logs go and what they look like."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog


def configure_logging(level: str) -> None:
    """Log as JSON to stderr, or readable when stderr is a terminal."""
    is_terminal = sys.stderr.isatty()
    # The plain traceback shows no local variables: they may hold tokens and keys.
    renderer: Any = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if is_terminal
        else structlog.processors.JSONRenderer()
    )
    processors: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if not is_terminal:
        processors.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*processors, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level)),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
    )
