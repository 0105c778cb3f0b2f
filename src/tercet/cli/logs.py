"""Where logs go and what they look like."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from functools import partial
from typing import Any

import structlog

from tercet.domain.masking import DEFAULT_REGION, mask_value


def configure_logging(level: str, *, phone_region: str = DEFAULT_REGION) -> None:
    """Log as JSON to stderr, or readable when stderr is a terminal; personal data are masked."""
    # The plain traceback shows no local variables: they may hold tokens and keys.
    renderer: Any = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if sys.stderr.isatty()
        else structlog.processors.JSONRenderer()
    )
    processors: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # Tracebacks become text first, so that what they quote is masked too.
        structlog.processors.format_exc_info,
        partial(_mask, phone_region),
    ]
    structlog.configure(
        processors=[*processors, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level)),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
    )


def _mask(
    region: str, _logger: Any, _method: str, entry: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Mask e-mail addresses and phone numbers."""
    return {name: mask_value(value, region=region) for name, value in entry.items()}
