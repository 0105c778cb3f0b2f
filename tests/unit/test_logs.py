"""Logs hold no personal data, whatever is logged."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import structlog

from tercet.cli.logs import configure_logging


@pytest.fixture
def _own_configuration() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.mark.usefixtures("_own_configuration")
def test_messages_values_and_tracebacks_are_masked(capsys: pytest.CaptureFixture[str]):
    configure_logging("INFO", phone_region="DE")
    log = structlog.get_logger("test")

    log.warning(
        "mail.bounced", to=["jane@example.org"], caller="030 901820", execution_id="exe_01KAJ3Q8Y7N8W4Z9"
    )
    try:
        raise ValueError("no mailbox for jane@example.org")
    except ValueError:
        log.exception("mail.crashed")

    bounced, crashed = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert (bounced["to"], bounced["caller"]) == (["j***@example.org"], "*** ****20")
    assert (bounced["event"], bounced["execution_id"]) == ("mail.bounced", "exe_01KAJ3Q8Y7N8W4Z9")
    assert "no mailbox for j***@example.org" in crashed["exception"]
