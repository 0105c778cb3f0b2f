"""`tercet inbox`: what waits for people."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from tercet.cli.client import Api, with_api
from tercet.cli.options import AsJson, DataDir
from tercet.cli.output import console, print_json, status, table

app = typer.Typer(help="List and decide what waits for people.", no_args_is_help=True)
ApprovalId = Annotated[str, typer.Argument(metavar="APPROVAL_ID")]
Items = Annotated[
    list[str] | None,
    typer.Option("--item", help="An item; repeat it. Required for bundles (or --all-items)."),
]
Feedback = Annotated[str | None, typer.Option("--feedback", help="Why; required to reject or to send back.")]


@app.command("list")
def list_all(
    data_dir: DataDir = None,
    wanted: Annotated[
        str, typer.Option("--status", help="pending, approved, rejected, …; empty for all")
    ] = "pending",
    as_json: AsJson = False,
) -> None:
    """List approvals, oldest first."""
    answer = with_api(
        data_dir, lambda api: api.call("GET", "/approvals", params={"status": wanted or None, "limit": 200})
    )
    if as_json:
        print_json(answer)
        return
    out = table(None, "approval", "title", "status", "open", "created", "expires", "assigned")
    for item in answer["items"]:
        out.add_row(
            item["approval_id"], escape(item["title"]), status(item["status"]),
            f"{item['items_open']}/{item['items_total']}", item["created_at"], item["expires_at"] or "",
            ", ".join(item["assigned_to"]),
        )  # fmt: skip
    console.print(out if answer["items"] else "Nothing waits for you.")


@app.command()
def show(approval_id: ApprovalId, data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Show an approval with the exact content of its items."""
    answer = with_api(data_dir, lambda api: api.call("GET", f"/approvals/{approval_id}"))
    if as_json:
        print_json(answer)
        return
    console.print(f"[bold]{escape(answer['title'])}[/bold]  {status(answer['status'])}")
    if answer["decided_at"]:
        console.print(f"decided by {answer['decided_by'] or 'a timeout'} at {answer['decided_at']}")
    for item in answer["items"]:
        console.print(f"\n[bold]{item['item_id']}[/bold]  {status(item['status'])}")
        for key, value in item["data"].items():
            console.print(f"  {key}: {value}", markup=False, highlight=False)


def _decide(
    approval_id: str,
    data_dir: Any,
    decision: str,
    items: list[str] | None,
    all_items: bool,
    body: dict[str, Any],
) -> None:
    async def go(api: Api) -> Any:
        wanted: dict[str, Any] = {"decision": decision, **{k: v for k, v in body.items() if v is not None}}
        if items:
            wanted["items"] = items
        elif all_items:
            shown = await api.call("GET", f"/approvals/{approval_id}")
            wanted["items"] = [item["item_id"] for item in shown["items"] if item["status"] == "pending"]
            wanted["digest"] = shown["digest"]
        return await api.call("POST", f"/approvals/{approval_id}/decision", body=wanted)

    answer = with_api(data_dir, go)
    console.print(f"{answer['approval_id']} is {status(answer['status'])}, {answer['items_open']} items open")


AllItems = Annotated[bool, typer.Option("--all-items", help="Every item that is open now.")]


@app.command()
def approve(
    approval_id: ApprovalId,
    items: Items = None,
    all_items: AllItems = False,
    option: Annotated[str | None, typer.Option(help="One of the offered options.")] = None,
    edits: Annotated[str | None, typer.Option(help="JSON: changed fields, for a bundle by item.")] = None,
    form: Annotated[str | None, typer.Option(help="JSON: what the form asks for.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Approve."""
    from tercet.domain.codec import from_json

    body = {
        "option": option,
        "edits": from_json(edits) if edits else None,
        "form": from_json(form) if form else None,
    }
    _decide(approval_id, data_dir, "approve", items, all_items, body)


@app.command()
def reject(
    approval_id: ApprovalId,
    feedback: Feedback = None,
    items: Items = None,
    all_items: AllItems = False,
    data_dir: DataDir = None,
) -> None:
    """Reject."""
    _decide(approval_id, data_dir, "reject", items, all_items, {"feedback": feedback})


@app.command()
def revise(
    approval_id: ApprovalId,
    feedback: Feedback = None,
    items: Items = None,
    all_items: AllItems = False,
    data_dir: DataDir = None,
) -> None:
    """Send back to the drafter with feedback."""
    _decide(approval_id, data_dir, "revise", items, all_items, {"feedback": feedback})


@app.command()
def reassign(
    approval_id: ApprovalId,
    to: Annotated[list[str], typer.Argument(help="Users or roles.")],
    data_dir: DataDir = None,
) -> None:
    """Give it to somebody else."""
    _decide(approval_id, data_dir, "reassign", None, False, {"assign_to": to})


@app.command()
def revoke(
    approval_id: ApprovalId, reason: Annotated[str, typer.Option()] = "", data_dir: DataDir = None
) -> None:
    """Take an approval back: what has not been sent will not be."""
    answer = with_api(
        data_dir, lambda api: api.call("POST", f"/approvals/{approval_id}/revoke", body={"reason": reason})
    )
    console.print(f"{answer['approval_id']} is {status(answer['status'])}")
