"""The log of an agent worker: one line an event (spec 5 §10), without personal data."""

from __future__ import annotations

import logging
import re
import traceback
from pathlib import Path

from tercet.domain.masking import mask_text

FORMAT = "%(asctime)s - %(levelname)s - %(message)s"


class Masking(logging.Filter):
    """Hides e-mail addresses and phone numbers in messages and in tracebacks, for every handler."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask the record; keep it."""
        record.msg, record.args = mask_text(record.getMessage()), None
        if record.exc_info and record.exc_info[0] is not None:
            record.exc_text = mask_text("".join(traceback.format_exception(*record.exc_info))).rstrip()
        return True


def open_log(name: str, log_file: Path | None) -> logging.Logger:
    """Return the logger `agent_NAME`; with a file it is written there, too."""
    logger = logging.getLogger(f"agent_{re.sub(r'[^A-Za-z0-9_-]+', '_', name)}")
    if not any(isinstance(known, Masking) for known in logger.filters):
        logger.addFilter(Masking())
    if log_file is None:
        return logger
    path = str(log_file.absolute())
    if not any(
        isinstance(handler, logging.FileHandler) and handler.baseFilename == path
        for handler in logger.handlers
    ):
        log_file.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(log_file, encoding="utf-8", delay=True)
        handler.setFormatter(logging.Formatter(FORMAT))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    return logger


def close_log(logger: logging.Logger) -> None:
    """Close the files of a log; `open_log` opens them again."""
    for handler in list(logger.handlers):
        if isinstance(handler, logging.FileHandler):
            logger.removeHandler(handler)
            handler.close()
