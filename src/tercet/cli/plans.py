"""`tercet plan`: import, list, show, export and delete plans."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from tercet.cli.client import Api, with_api
from tercet.cli.options import AsJson, DataDir
from tercet.cli.output import console, print_json, table

app = typer.Typer(help="Import, list, show, export, delete, start and follow plans.", no_args_is_help=True)
PlanId = Annotated[str, typer.Argument(metavar="PLAN_ID")]
Start = Annotated[
    str | None, typer.Option("--start", help="The first day of the plan, 2026-11-23; by default today.")
]
_SHOWN_PROBLEMS = 20


@app.command("import")
def import_plan(
    path: Annotated[Path, typer.Argument(help="A PlanExe run (folder or zip), plan JSON, or CSV.")],
    sequential_siblings: Annotated[
        bool,
        typer.Option(
            "--sequential-siblings", help="Tasks of a phase follow each other, as PlanExe schedules them."
        ),
    ] = False,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Import a plan; say what was wrong in it."""
    content = _content(path)
    params = {"title": path.stem, "sequential_siblings": str(sequential_siblings).lower()}
    answer = with_api(data_dir, lambda api: api.call("POST", "/plans/import", content=content, params=params))
    if as_json:
        print_json(answer)
        return
    console.print(
        f"[bold]{escape(answer['title'])}[/bold]: {answer['phases_total']} phases, {answer['tasks_total']} tasks, "
        f"{answer['subtasks_total']} subtasks, {answer['dependencies_total']} dependencies"
    )
    if answer["usage_calls"]:
        console.print(f"{answer['usage_calls']} model calls of its making are in the ledger")
    for problem in answer["problems"][:_SHOWN_PROBLEMS]:
        console.print(f"[yellow]{escape(problem['message'])}[/yellow] ({escape(problem['hint'])})")
    left = len(answer["problems"]) - _SHOWN_PROBLEMS
    if left > 0:
        console.print(f"… and {left} more; --json lists all")
    typer.echo(answer["plan_id"])


@app.command("list")
def list_plans(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """List plans, newest first."""
    answer = with_api(data_dir, lambda api: api.call("GET", "/plans"))
    if as_json:
        print_json(answer)
        return
    out = table(None, "plan", "title", "tasks", "from", "imported")
    for item in answer["items"]:
        out.add_row(
            item["plan_id"],
            escape(item["title"]),
            str(item["tasks_total"]),
            item["source"],
            item["created_at"],
        )
    console.print(out)


@app.command("show")
def show(plan_id: PlanId, start: Start = None, data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Print the tree of a plan with hours, planned times and floats; the critical path is red."""

    async def read(api: Api) -> tuple[Any, Any]:
        plan = await api.call("GET", f"/plans/{plan_id}")
        return plan, await api.call("GET", f"/plans/{plan_id}/tasks", params={"start": start})

    plan, scheduled = with_api(data_dir, read)
    if as_json:
        print_json({**plan, "schedule": scheduled})
        return
    times = {item["task_id"]: item for item in scheduled["items"]}
    out = table(escape(plan["title"]), "task", "hours", "starts", "finishes", "float", "who")
    for phase in plan["plan"]["phases"]:
        out.add_row(f"[bold]{escape(phase['name'] or phase['phase_id'])}[/bold]")
        for task in phase["tasks"]:
            planned = times[task["task_id"]]
            colour = "red" if planned["is_critical"] else "default"
            hours = task["estimated_hours"]
            out.add_row(
                f"[{colour}]  {escape(task['title'] or task['task_id'])}[/{colour}]", "" if hours is None else f"{hours:g}",
                planned["planned_start"][:16], planned["planned_finish"][:16], f"{planned['total_float_hours']:g}",
                escape(task["assignee_role"] or ""),
            )  # fmt: skip
            for subtask in task["subtasks"]:
                title = escape(subtask["title"] or subtask["subtask_id"])
                out.add_row(f"[dim]    {title}[/dim]", "", "", "", "", escape(subtask["action"]))
    console.print(out)
    critical = len(scheduled["critical_path"])
    console.print(
        f"{scheduled['total_hours']:g} working hours from {scheduled['start']}; {critical} tasks are critical"
    )


@app.command("export")
def export(
    plan_id: PlanId,
    format: Annotated[str, typer.Option("--format", help="json, csv or ical")] = "json",
    out: Annotated[Path | None, typer.Option("--out", help="A file; by default stdout.")] = None,
    start: Start = None,
    data_dir: DataDir = None,
) -> None:
    """Write a plan as JSON, CSV or iCalendar."""
    params = {"format": format, "start": start}
    answer = with_api(data_dir, lambda api: api.call("GET", f"/plans/{plan_id}/export", params=params))
    if format == "json":
        from tercet.domain.codec import to_json

        answer = to_json(answer)
    if out is None:
        typer.echo(answer)
    else:
        out.write_text(answer, "utf-8", newline="")
        typer.echo(f"wrote {out}", err=True)


@app.command("delete")
def delete(plan_id: PlanId, data_dir: DataDir = None) -> None:
    """Take a plan out of the library; its executions and its costs stay."""
    with_api(data_dir, lambda api: api.call("DELETE", f"/plans/{plan_id}"))
    typer.echo(f"{plan_id} is deleted")


def _content(path: Path) -> bytes:
    """Return the file, or the folder's files as a zip."""
    from tercet.domain.errors import InvalidInput

    if not path.is_dir():
        try:
            return path.read_bytes()
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    import io
    import zipfile

    from tercet.plans.reading.archive import files_of

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files_of(path).items():
            archive.writestr(name, content)
    return out.getvalue()
