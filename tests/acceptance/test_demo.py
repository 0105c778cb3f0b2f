"""`make demo`'s program runs a campaign on 50 leads to its end without a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "examples" / "lead_campaign" / "output" / "spring-2026"


def test_the_demo_completes_and_every_lead_has_an_outcome():
    done = subprocess.run(
        [sys.executable, "-m", "examples.lead_campaign.demo"],
        check=False, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr[-2000:]
    assert "mock Claude answers" in done.stdout
    assert "so the rule decides" in done.stdout
    assert "1 COMPLETED" in done.stdout
    report = json.loads((OUTPUT / "report.json").read_text("utf-8"))
    assert sum(report["outcomes"].values()) == report["imported"]["leads"] == 50
    refused = (OUTPUT / "refused_rows.csv").read_text("utf-8").splitlines()
    assert len(refused) == report["imported"]["refused"] + 1
    sent = list((OUTPUT / "mailbox").glob("*.eml"))
    finished_after_sending = sum(
        n for outcome, n in report["outcomes"].items() if outcome.startswith("response.")
    )
    assert len(sent) == finished_after_sending > 0
