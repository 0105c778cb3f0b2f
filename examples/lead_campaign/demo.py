"""`make demo`: runs the lead campaign on 50 leads to its end and prints what happened.

A local SMTP server takes the mail and lets some leads answer. The bundle is decided in the terminal when
there is one, else by the rule that `RULE` states.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import socket
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from rich.live import Live
from rich.markup import escape

from examples.lead_campaign.handlers import output_folder
from tercet.cli.asking import ask, show_approval
from tercet.cli.logs import configure_logging
from tercet.cli.output import console, dollars, status, table
from tercet.cli.progress import LiveView, task_table
from tercet.cli.run_command import with_pause
from tercet.cli.session import Counts, RunResult, run_events
from tercet.domain.codec import from_json
from tercet.domain.errors import TercetError
from tercet.flows.handlers import HandlerTable
from tercet.humans.decide import Decision
from tercet.humans.person import Person
from tercet.humans.tokens import DEFAULT_OWNER
from tercet.manifest.checks import open_manifest
from tercet.settings import load_settings
from tercet.store.agents import count_tool_calls
from tercet.store.ledger import summarize
from tercet.store.reader import Record
from tercet.wiring import Tercet, open_tercet

HERE = Path(__file__).parent
CAMPAIGN = "spring-2026"
LEADS = 50
RESPONSE_WAIT = "3s"
RULE = "approve a draft whose score is 40 or more, send the rest back once for a softer text, reject them after that"
_ANSWERS = ("Sounds good, call me on Thursday.", "No thanks, please stop writing.", "Who are you?")


class Mailbox:
    """A local SMTP server: keeps every message as a file, and lets some leads answer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self._loop = asyncio.get_running_loop()
        self.node: Tercet | None = None
        self.execution_id: str | None = None
        self.messages = 0
        self.answers = 0

    def start(self) -> int:
        """Listen; return the port."""
        self._controller.start()
        return self.port

    def stop(self) -> None:
        """Stop listening."""
        self._controller.stop()

    async def handle_DATA(  # noqa: N802 aiosmtpd's name for it
        self, _server: Any, _session: Any, envelope: Any
    ) -> str:
        """Keep the message; about one lead in three answers."""
        to = envelope.rcpt_tos[0]
        self.messages += 1
        (self._folder / f"{self.messages:03d}-{to}.eml").write_bytes(envelope.content)
        dice = hashlib.sha256(to.encode()).digest()[0]
        if dice % 3 == 0:
            self.answers += 1
            asyncio.run_coroutine_threadsafe(self._answer(to, _ANSWERS[dice % 7 % 3]), self._loop)
        return "250 OK"

    async def _answer(self, address: str, text: str) -> None:
        node = self.node
        assert node is not None
        assert self.execution_id is not None
        lead_id = await lead_of(node, self.execution_id, address)
        await node.events.send(
            owner_id=DEFAULT_OWNER,
            name="response.received",
            data={"campaign_id": CAMPAIGN, "lead_id": lead_id, "text": text},
            source="mailbox",
            execution_id=self.execution_id,
            idempotency_key=f"answer:{address}",
        )


async def lead_of(node: Tercet, execution_id: str, address: str) -> str:
    """Return whose address it is, from the execution's log."""
    from tercet.store.executions import events_named

    for row in await node.reader.read(events_named, execution_id, "lead.imported"):
        lead = from_json(row["output_data"])
        if lead["email"].lower() == address.lower():
            return str(lead["lead_id"])
    raise LookupError(address)


async def decide_by_rule(approval: Record) -> list[Decision]:
    """Decide by RULE; every item is named and gets its own verdict."""
    show_approval(approval)
    verdicts = []
    for item in approval["items"]:
        if item["status"] != "pending":
            continue
        data = from_json(item["data"])
        verdict: dict[str, Any] = {"item_id": item["id"], "digest": item["digest"], "decision": "approve"}
        if data["score"] < 40:
            again = bool(data.get("revision"))
            verdict.update(decision="reject" if again else "revise", feedback="softer and shorter, please")
        verdicts.append(verdict)
    console.print(f"No terminal to ask, so the rule decides: {RULE}.", style="yellow")
    return [Decision.model_validate({"decision": "approve", "items": verdicts, "digest": approval["digest"]})]


async def main() -> int:
    """Run the demo; return the exit code."""
    configure_logging("WARNING")
    folder = output_folder(CAMPAIGN)
    shutil.rmtree(folder)
    mail_folder = output_folder(CAMPAIGN) / "mailbox"
    mail_folder.mkdir()
    data_dir = HERE / "output" / "data"
    if data_dir.exists():
        shutil.rmtree(data_dir)
    mailbox = Mailbox(mail_folder)
    loaded = open_manifest(HERE / "manifest.yaml")
    handlers = HandlerTable()
    handlers.import_all(loaded)
    settings = load_settings(data_dir=data_dir, smtp_host="127.0.0.1", smtp_port=mailbox.start())
    try:
        async with open_tercet(settings, handlers=handlers) as node:
            await node.catalog.deploy(node.engine, loaded, owner_id=DEFAULT_OWNER)
            mailbox.node = node
            counts = Counts()
            node.engine.commit_listeners.append(counts.hear)
            result = await run(node, mailbox, counts)
            await report(node, mailbox, counts, result)
    finally:
        mailbox.stop()
    return 0 if result.all_completed else 1


async def run(node: Tercet, mailbox: Mailbox, counts: Counts) -> RunResult:
    """Send the root event and work until everything has ended."""
    console.print(f"[bold]Lead campaign[/bold]: {LEADS} leads of {HERE / 'leads.csv'}", highlight=False)
    if node.models.note:
        console.print(node.models.note, style="yellow")
    else:
        console.print(f"Models: {node.models.kind}, {node.models.resolve('sonnet')}", style="green")
    node.engine.commit_listeners.append(lambda unit: note_execution(mailbox, unit.streams))
    live = Live(LiveView(counts, node.models.note), console=console, refresh_per_second=8, transient=True)
    has_terminal = sys.stdin.isatty() and console.is_terminal
    with live if console.is_terminal else nullcontext():
        return await run_events(
            node,
            owner_id=DEFAULT_OWNER,
            event="campaign.started",
            rows=[
                {
                    "campaign_id": CAMPAIGN,
                    "leads_file": "leads.csv",
                    "limit": LEADS,
                    "response_wait": RESPONSE_WAIT,
                }
            ],
            manifest="lead-campaign",
            decide=with_pause(live if console.is_terminal else None, ask if has_terminal else decide_by_rule),
            person=Person(user="demo", role="owner", owner_id=DEFAULT_OWNER),
        )


def note_execution(mailbox: Mailbox, streams: set[str]) -> None:
    """Remember which execution the mail belongs to: the first one that commits."""
    if mailbox.execution_id is None and streams:
        mailbox.execution_id = next(iter(streams))


async def report(node: Tercet, mailbox: Mailbox, counts: Counts, result: RunResult) -> None:
    """Print what happened and where the files are."""
    console.print(task_table(counts, "\nTasks by handler"))
    by_executor: dict[str, int] = {}
    for handler, count in counts.tasks.items():
        executor = counts.executor_of[handler]
        by_executor[executor] = by_executor.get(executor, 0) + count["complete"]
    out = table("\nWhat happened", "", "")
    out.add_row("executions", ", ".join(f"{n} {status(s)}" for s, n in sorted(result.statuses.items())))
    out.add_row("tasks", ", ".join(f"{n} {executor}" for executor, n in sorted(by_executor.items())))
    out.add_row("decisions of people", str(counts.approvals_decided))
    calls = await node.reader.read(count_tool_calls, owner_id=DEFAULT_OWNER)
    out.add_row("tool calls", ", ".join(f"{row['calls']} {row['tool']} ({row['outcome']})" for row in calls))
    out.add_row("e-mails", f"{mailbox.messages} sent, {mailbox.answers} answered")
    out.add_row("events in the log", f"{counts.events:,}")
    out.add_row("tokens", f"{counts.tokens:,}")
    out.add_row(
        "cost",
        dollars(counts.cost_picousd) + (" (mock: what it would have cost)" if node.models.note else ""),
    )
    out.add_row("time", f"{result.seconds:.1f} s")
    console.print(out)
    spent = table("\nLedger", "agent", "calls", "tokens in", "tokens out", "cost")
    for row in await node.reader.read(summarize, owner_id=DEFAULT_OWNER, group_by="agent"):
        spent.add_row(
            row["key"], str(row["calls"]), f"{row['tokens_input']:,}", f"{row['tokens_output']:,}",
            dollars(int(row["cost_picousd"])),
        )  # fmt: skip
    console.print(spent)
    folder = output_folder(CAMPAIGN)
    files = table("\nFiles", "", "")
    files.add_row("report", str(folder / "report.json"))
    files.add_row("refused rows", str(folder / "refused_rows.csv"))
    files.add_row("sent e-mails", str(folder / "mailbox"))
    files.add_row("database", str(HERE / "output" / "data" / "tercet.db"))
    console.print(files)
    console.print(
        f"\nLook further: [bold].venv/bin/tercet executions list --data-dir {HERE / 'output' / 'data'}[/bold]",
        highlight=False,
    )
    if node.models.note:
        console.print(node.models.note, style="yellow")


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except TercetError as error:
        console.print(f"[red]error[/red] {escape(str(error))}")
        sys.exit(2)
