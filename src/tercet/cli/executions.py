"""`tercet executions …` and `tercet emit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from tercet.cli.client import Api, with_api
from tercet.cli.options import AsJson, DataDir
from tercet.cli.output import console, print_json, status, table

app = typer.Typer(help="List, look into and control executions.", no_args_is_help=True)
ExecutionId = Annotated[str, typer.Argument(metavar="EXECUTION_ID")]
Reveal = Annotated[
    bool, typer.Option("--reveal", help="Show mail addresses and phone numbers; the look is recorded.")
]


@app.command("list")
def list_all(
    data_dir: DataDir = None,
    wanted: Annotated[
        str | None, typer.Option("--status", help="CREATED, QUEUED, RUNNING, BLOCKED, …")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 20,
    as_json: AsJson = False,
) -> None:
    """List executions, newest first."""
    answer = with_api(
        data_dir, lambda api: api.call("GET", "/executions", params={"status": wanted, "limit": limit})
    )
    if as_json:
        print_json(answer)
        return
    out = table(None, "execution", "name", "status", "tasks", "created", "message")
    for item in answer["items"]:
        progress = f"{item['progress']['tasks_completed']}/{item['progress']['tasks_total']}"
        out.add_row(
            item["execution_id"], escape(item["name"]), status(item["status"]), progress, item["created_at"],
            escape(item["status_message"] or ""),
        )  # fmt: skip
    console.print(
        out if answer["items"] else "No executions yet. Start one with `tercet run` or `tercet emit`."
    )


@app.command()
def show(
    execution_id: ExecutionId, data_dir: DataDir = None, reveal: Reveal = False, as_json: AsJson = False
) -> None:
    """Show an execution with its tasks and costs."""
    params = {"reveal": reveal or None}
    answer = with_api(data_dir, lambda api: api.call("GET", f"/executions/{execution_id}", params=params))
    if as_json:
        print_json(answer)
        return
    console.print(
        f"[bold]{answer['execution_id']}[/bold]  {escape(answer['name'])}  {status(answer['status'])}"
    )
    if answer["status_message"]:
        console.print(f"  {escape(answer['status_message'])}")
    costs = answer["costs"]
    console.print(
        f"  {costs['calls']} model calls, {costs['total_tokens']:,} tokens, ${costs['cost_usd']:.4f}"
    )
    if costs["note"]:
        console.print(f"  [yellow]{costs['note']}[/yellow]")
    out = table(None, "task", "handler", "executor", "status", "attempt", "steps", "error")
    for task in answer["tasks"]:
        out.add_row(
            task["task_id"], escape(task["handler"]), task["executor"], status(task["status"]),
            f"{task['attempt']}/{task['max_attempts']}", str(len(task["subtasks"])), escape(task["error_message"] or ""),
        )  # fmt: skip
    console.print(out)


@app.command()
def events(
    execution_id: ExecutionId,
    data_dir: DataDir = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 50,
    reveal: Reveal = False,
    as_json: AsJson = False,
) -> None:
    """Print the newest events of an execution, oldest of them first."""
    params = {"limit": limit, "reveal": reveal or None}
    answer = with_api(
        data_dir, lambda api: api.call("GET", f"/executions/{execution_id}/events", params=params)
    )
    if as_json:
        print_json(answer)
        return
    out = table(None, "seq", "time", "event", "name", "status", "message")
    for item in reversed(answer["items"]):
        out.add_row(
            str(item["seq"]), item["timestamp"], item["event_type"], escape(item["name"] or item["subtask_id"] or ""),
            status(item["status"] or ""), escape(item["error_message"] or item["message"] or ""),
        )  # fmt: skip
    console.print(out)


def _change(execution_id: str, data_dir: Path | None, wanted: str, reason: str = "") -> None:
    body = {"status": wanted, "reason": reason}
    answer = with_api(data_dir, lambda api: api.call("PATCH", f"/executions/{execution_id}", body=body))
    console.print(f"{answer['execution_id']} is {status(answer['status'])}")


@app.command()
def pause(execution_id: ExecutionId, data_dir: DataDir = None) -> None:
    """Stop before the next step."""
    _change(execution_id, data_dir, "PAUSED")


@app.command()
def resume(execution_id: ExecutionId, data_dir: DataDir = None) -> None:
    """Go on after a pause."""
    _change(execution_id, data_dir, "RUNNING")


@app.command()
def cancel(
    execution_id: ExecutionId,
    data_dir: DataDir = None,
    reason: Annotated[str, typer.Option(help="Why.")] = "",
) -> None:
    """End an execution."""
    _change(execution_id, data_dir, "CANCELLED", reason)


@app.command()
def retry(
    execution_id: ExecutionId,
    task_id: Annotated[str | None, typer.Option("--task", help="Only this failed task.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Retry failed tasks; an execution that has ended starts anew, linked to the old one."""
    path = (
        f"/executions/{execution_id}/retry"
        if task_id is None
        else f"/executions/{execution_id}/tasks/{task_id}/retry"
    )
    answer = with_api(data_dir, lambda api: api.call("POST", path))
    console.print(f"{answer['execution_id']} is {status(answer['status'])}")


@app.command()
def skip(
    execution_id: ExecutionId, task_id: Annotated[str, typer.Argument()], data_dir: DataDir = None
) -> None:
    """Go on without a failed task."""
    answer = with_api(
        data_dir, lambda api: api.call("POST", f"/executions/{execution_id}/tasks/{task_id}/skip")
    )
    console.print(f"{answer['execution_id']} is {status(answer['status'])}")


def emit(
    name: Annotated[str, typer.Argument(help="The event, e.g. campaign.approved")],
    data: Annotated[str, typer.Option("--data", help="JSON, or a file with rows.")] = "{}",
    key: Annotated[
        str | None, typer.Option("--key", help="Idempotency key: a second send records nothing.")
    ] = None,
    execution_id: Annotated[
        str | None, typer.Option("--execution", help="The execution it belongs to.")
    ] = None,
    manifest: Annotated[str | None, typer.Option("--manifest", help="The manifest that is meant.")] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Record an event from outside: it starts an execution, or joins one that waits for it."""
    from tercet.cli.data_files import read_argument

    rows = read_argument(data)
    extra = {"idempotency_key": key, "execution_id": execution_id, "manifest": manifest}
    bodies = [
        {"name": name, "data": row, **{k: v for k, v in extra.items() if v is not None}}
        if len(rows) == 1
        else {"name": name, "data": row, **_numbered(extra, index)}
        for index, row in enumerate(rows)
    ]

    async def send(api: Api) -> Any:
        return await api.call("POST", "/events", body=bodies if len(bodies) > 1 else bodies[0])

    answer = with_api(data_dir, send)
    receipts = answer if isinstance(answer, list) else [answer]
    if as_json:
        print_json(answer)
        return
    for receipt in receipts:
        again = " (recorded before)" if receipt["duplicate"] else ""
        console.print(f"{receipt['event_id']} in {receipt['execution_id']}{again}")


def _numbered(extra: dict[str, str | None], index: int) -> dict[str, str]:
    out = {k: v for k, v in extra.items() if v is not None}
    if "idempotency_key" in out:
        out["idempotency_key"] += f":{index}"
    return out
