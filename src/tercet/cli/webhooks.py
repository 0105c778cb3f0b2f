"""`tercet webhook`: who hears of what happens."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from tercet.cli.client import with_api
from tercet.cli.options import AsJson, DataDir
from tercet.cli.output import console, print_json, status, table

app = typer.Typer(
    help="Register and look after webhooks, mail addresses and Slack hooks.", no_args_is_help=True
)
WebhookId = Annotated[str, typer.Argument(metavar="WEBHOOK_ID")]


@app.command()
def add(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A URL, or a mail address.")],
    channel: Annotated[str, typer.Option(help="webhook, email or slack.")] = "webhook",
    events: Annotated[
        list[str] | None, typer.Option("--event", help="What to hear of; repeat it. Default: everything.")
    ] = None,
    secret: Annotated[str | None, typer.Option(help="whsec_…; left out, one is made.")] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Register a receiver; prints a webhook's secret on stdout, once."""
    given = {"channel": channel, "events": events, "secret": secret}
    body = {name: value for name, value in given.items() if value}
    body["target" if channel == "email" else "url"] = target
    answer = with_api(data_dir, lambda api: api.call("POST", "/webhooks/register", body=body))
    if as_json:
        print_json(answer)
        return
    typer.echo(f"{answer['webhook_id']} hears of {', '.join(answer['events'])}", err=True)
    if "secret" in answer:
        typer.echo(answer["secret"])


@app.command("list")
def list_all(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """List the receivers, without their secrets."""
    answer = with_api(data_dir, lambda api: api.call("GET", "/webhooks"))
    if as_json:
        print_json(answer)
        return
    out = table(None, "webhook", "channel", "target", "events", "created")
    for item in answer["items"]:
        out.add_row(
            item["webhook_id"],
            item["channel"],
            escape(item["target"]),
            ", ".join(item["events"]),
            item["created_at"],
        )
    console.print(
        out if answer["items"] else "Nobody hears of anything. Register one with `tercet webhook add`."
    )


@app.command()
def remove(webhook_id: WebhookId, data_dir: DataDir = None) -> None:
    """End one: nothing more is sent there."""
    with_api(data_dir, lambda api: api.call("DELETE", f"/webhooks/{webhook_id}"))
    console.print(f"{webhook_id} hears of nothing any more")


@app.command("test")
def try_out(webhook_id: WebhookId, data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Send a test at once. Exits 1 when it is not taken."""
    answer = with_api(data_dir, lambda api: api.call("POST", f"/webhooks/{webhook_id}/test"))
    if as_json:
        print_json(answer)
    else:
        console.print(f"{answer['delivery_id']}: {_outcome(answer)}", markup=False)
    if answer["status"] != "delivered":
        raise typer.Exit(1)


@app.command()
def deliveries(
    webhook_id: WebhookId,
    data_dir: DataDir = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 20,
    as_json: AsJson = False,
) -> None:
    """List what was sent there, or will be, newest first."""
    answer = with_api(
        data_dir, lambda api: api.call("GET", f"/webhooks/{webhook_id}/deliveries", params={"limit": limit})
    )
    if as_json:
        print_json(answer)
        return
    out = table(
        None, "delivery", "event", "execution", "status", "attempts", "created", "next attempt", "why"
    )
    for item in answer["items"]:
        out.add_row(
            item["delivery_id"], item["event"], item["execution_id"] or "", status(item["status"]),
            str(item["attempts"]), item["created_at"], item["next_attempt_at"] or "", escape(item["error"] or ""),
        )  # fmt: skip
    console.print(out if answer["items"] else "Nothing was sent there yet.")


def _outcome(delivery: dict[str, Any]) -> str:
    answered = f" ({delivery['answer_status']})" if delivery["answer_status"] else ""
    return f"{delivery['status']}{answered}" + (f": {delivery['error']}" if delivery["error"] else "")
