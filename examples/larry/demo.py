"""`make larry`: Larry finds clients by a plan of three phases, with Mark where a person is needed.

A node with its HTTP API, Larry as an agent worker, Mark as a person with a token, and the world that they
work in, all in this process. Larry and Mark use HTTP only.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from rich.live import Live
from rich.markup import escape

from examples.larry.agent import hire_larry
from examples.larry.desk import Desk, Twilio
from examples.larry.person import Mark
from examples.larry.town import Town
from tercet.cli.logs import configure_logging
from tercet.cli.output import console, status, table
from tercet.cli.plan_tree import plan_tree_view
from tercet.domain.errors import TercetError
from tercet.settings import load_settings
from tercet.web.app import create_app
from tercet.web.serving import serving
from tercet.wiring import open_tercet

HERE = Path(__file__).parent
OUTPUT = HERE / "output"
_LOOK_SECONDS = 0.25
_PATIENCE_SECONDS = 120.0


@dataclass(kw_only=True)
class Scene:
    """Who takes part."""

    api: httpx.AsyncClient
    url: str
    token: str
    town: Town
    desk: Desk
    mark: Mark


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    """Set everything up in an empty folder."""
    shutil.rmtree(OUTPUT, ignore_errors=True)
    mail_folder = OUTPUT / "mailbox"
    mail_folder.mkdir(parents=True)
    town = Town(mail_folder)
    town.start()
    try:
        async with (
            open_tercet(load_settings(data_dir=OUTPUT / "data")) as node,
            serving(create_app(node)) as url,
            serving(town.app) as web_url,
            httpx.AsyncClient(
                base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {node.admin_token}"}, timeout=10
            ) as api,
        ):
            desk = Desk(
                folder=OUTPUT, web_url=web_url, smtp_port=town.smtp_port, phone=phone_of(dict(os.environ))
            )
            token = (await call(api, "POST", "/tokens", json={"user": "mark", "role": "admin"}))["token"]
            try:
                yield Scene(
                    api=api,
                    url=url,
                    token=node.admin_token,
                    town=town,
                    desk=desk,
                    mark=Mark(url, token, desk),
                )
            finally:
                node.wind_down()
    finally:
        town.stop()


def phone_of(environment: dict[str, str]) -> Twilio | None:
    """Return the Twilio account of the environment; without one people make the calls."""
    names = ("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_FROM")
    if not all(environment.get(name) for name in names):
        return None
    sid, auth_token, number = (environment[name] for name in names)
    return Twilio(account_sid=sid, auth_token=auth_token, from_number=number)


def plan_for(desk: Desk) -> dict[str, Any]:
    """Return the plan. With a telephone of his own Larry calls, and Mark approves each call."""
    plan: dict[str, Any] = json.loads((HERE / "plan.json").read_bytes())
    if desk.phone is not None:
        calls = next(t for p in plan["phases"] for t in p["tasks"] if t["task_id"] == "task_2_1")
        calls["risk_tier"] = 2
    return plan


async def call(api: httpx.AsyncClient, method: str, path: str, **options: Any) -> Any:
    """Return what the API answers."""
    return (await api.request(method, path, **options)).raise_for_status().json()


async def main() -> int:
    """Run the scenario; return the exit code."""
    configure_logging("WARNING")
    async with scene() as s:
        larry = await asyncio.to_thread(hire_larry, s.url, s.token, s.desk, log_file=OUTPUT / "larry.log")
        plan = await call(s.api, "POST", "/plans/import", json=plan_for(s.desk))
        begun = {"plan_id": plan["plan_id"], "agent_id": larry.agent_id}
        execution_id = (await call(s.api, "POST", "/executions", json=begun))["execution_id"]
        console.print(
            f"[bold]Larry[/bold] works on a plan of {plan['phases_total']} phases, {plan['tasks_total']} tasks and "
            f"{plan['subtasks_total']} subtasks; Mark decides.\n",
            highlight=False,
        )
        working, deciding = asyncio.create_task(larry.arun()), asyncio.create_task(s.mark.work())
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                shown = await watch(s, execution_id, (working, deciding))
        finally:
            larry.stop()
            deciding.cancel()
            await asyncio.gather(working, deciding, return_exceptions=True)
        await report(s, shown)
    return 0 if shown["execution"]["status"] == "COMPLETED" else 1


async def watch(s: Scene, execution_id: str, others: tuple[asyncio.Task[None], ...]) -> dict[str, Any]:
    """Show the tree until the execution has ended; return it as it is then."""
    live = Live(console=console, refresh_per_second=8) if console.is_terminal else None
    with live or nullcontext():
        while True:
            shown: dict[str, Any] = await call(s.api, "GET", f"/executions/{execution_id}/tree")
            if live is not None:
                live.update(plan_tree_view(shown))
            if shown["execution"]["completed_at"] is not None:
                break
            for other in others:
                if other.done():
                    other.result()
            await asyncio.sleep(_LOOK_SECONDS)
    if live is None:
        console.print(plan_tree_view(shown))
    return shown


async def report(s: Scene, shown: dict[str, Any]) -> None:
    """Print what happened and where the files are."""
    execution_id = shown["execution"]["execution_id"]
    said = table("\nWhat Mark decided", "question", "answer")
    for title, words in s.mark.decisions:
        said.add_row(escape(title), escape(words))
    console.print(said)
    report_task = shown["phases"][-1]["tasks"][-1]
    facts = report_task["subtasks"][0]["result_data"] if report_task["subtasks"] else None
    events = (await call(s.api, "GET", f"/executions/{execution_id}/events", params={"limit": 500}))["items"]
    kinds = Counter(event["event_type"] for event in events)
    out = table("\nWhat happened", "", "")
    out.add_row("execution", status(shown["execution"]["status"]))
    if facts:
        out.add_row(
            "prospects",
            f"{facts['prospects']} found, {facts['qualified']} qualified, {facts['called']} called",
        )
        out.add_row(
            "clients",
            f"{facts['interested']} interested, {facts['closed']} closed, {facts['pending']} pending",
        )
    out.add_row("e-mails", f"{s.town.messages} accepted, {s.town.refused} refused")
    out.add_row(
        "events in the log", f"{len(events)}, {kinds['task_error']} of them errors that were dealt with"
    )
    console.print(out)
    files = table("\nFiles", "", "")
    for path in sorted(path for path in OUTPUT.iterdir() if path.name != "data"):
        files.add_row(path.name + ("/" if path.is_dir() else ""), str(path))
    console.print(files)
    console.print(
        f"\nLook further: [bold].venv/bin/tercet plan follow {execution_id} --data-dir {OUTPUT / 'data'}[/bold]",
        highlight=False,
    )


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except TercetError as error:
        console.print(f"[red]error[/red] {escape(str(error))}")
        sys.exit(2)
