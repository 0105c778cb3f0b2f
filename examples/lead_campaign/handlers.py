"""The functions of the lead campaign. A step runs once, however often its task is tried."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

from tercet.domain.text import decode_text

HERE = Path(__file__).parent
_EMAIL = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[^@\s,;]+")
_FIELDS = ("contact_name", "company", "email", "phone", "town", "notes")


def output_folder(campaign_id: str) -> Path:
    """Return the folder of a campaign's files."""
    folder = HERE / "output" / re.sub(r"[^\w-]", "_", campaign_id)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


async def import_leads(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """Read the file; emit usable leads; write every refused row down with its reason."""
    data = event["data"]
    imported = await ctx.step("read-file", read_leads, data["leads_file"], data.get("limit"))
    await ctx.step("write-refused", write_refused, data["campaign_id"], imported["refused"])
    wait = data.get("response_wait") or ctx.variables["response_wait"]
    for lead in imported["leads"]:
        ctx.emit("lead.imported", {**lead, "campaign_id": data["campaign_id"], "response_wait": wait})
    summary = {
        "campaign_id": data["campaign_id"],
        "leads": len(imported["leads"]),
        "refused": len(imported["refused"]),
        "encoding": imported["encoding"],
    }
    ctx.emit("campaign.imported", summary)
    return summary


def read_leads(leads_file: str, limit: int | None) -> dict[str, Any]:
    """Return usable leads and refused rows. A row is refused for a missing name or address, or as a duplicate."""
    path = (HERE / leads_file).resolve()
    if not path.is_relative_to(HERE):
        raise ValueError(f"{leads_file!r} lies outside the example's folder")
    decoded = decode_text(path.read_bytes())
    if decoded is None:
        raise ValueError(f"the encoding of {leads_file!r} cannot be told")
    text, encoding = decoded
    leads: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    reader = csv.DictReader(io.StringIO(text), restkey="extra_cells", restval="")
    for row in reader:
        if limit is not None and len(leads) >= limit:
            break
        lead = {name: repair(row.get(name) or "") for name in _FIELDS}
        reason = refusal(lead, row, seen)
        if reason is not None:
            refused.append({"line": reader.line_num, "reason": reason, **lead})
            continue
        seen[lead["email"].lower()] = reader.line_num
        leads.append({"lead_id": f"L{reader.line_num:04d}", **lead})
    return {"leads": leads, "refused": refused, "encoding": encoding}


def repair(cell: str) -> str:
    """Trim, and undo UTF-8 that was once read as Windows-1252 (`JÃ¸rgen` → `Jørgen`)."""
    cell = " ".join(cell.split())
    if "Ã" in cell:
        try:
            return cell.encode("cp1252").decode("utf-8")
        except UnicodeError:
            return cell
    return cell


def refusal(lead: dict[str, str], row: dict[str, Any], seen: dict[str, int]) -> str | None:
    """Return why a row cannot be used, or None."""
    if row.get("extra_cells"):
        return "more cells than columns"
    if not lead["contact_name"]:
        return "no name"
    if not lead["email"]:
        return "no e-mail address"
    if not _EMAIL.fullmatch(lead["email"]):
        return "not an e-mail address"
    if lead["email"].lower() in seen:
        return f"the same address as line {seen[lead['email'].lower()]}"
    return None


def write_refused(campaign_id: str, refused: list[dict[str, Any]]) -> str:
    """Write refused rows to a file, so that somebody can mend them."""
    path = output_folder(campaign_id) / "refused_rows.csv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, ["line", "reason", *_FIELDS])
        writer.writeheader()
        writer.writerows(refused)
    return str(path)


async def send_email(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """Hand the e-mail to the mail server, with a key that makes a repeated attempt recognisable."""
    data = event["data"]
    sent = await ctx.run_executor(
        {
            "executor_type": "tool_call",
            "task": {
                "tool": "email",
                "idempotency_key": ctx.idempotency_key,
                "arguments": {
                    "to": data["email"],
                    "subject": data["full_subject"],
                    "body": data["full_body"],
                },
            },
            "constraints": {"timeout_ms": 20_000},
        },
        name="send",
    )
    return {"message_id": sent.result["output"]["message_id"]}


async def await_response(event: dict[str, Any], ctx: Any) -> None:
    """Wait for the lead's answer; without one, say that the time is over."""
    data = event["data"]
    answer = await ctx.wait_for_event(
        "response.received", match=f"data.lead_id == '{data['lead_id']}'", timeout=data["response_wait"]
    )
    if answer is None:
        ctx.emit("response.timed_out", {"campaign_id": data["campaign_id"], "lead_id": data["lead_id"]})


async def finish_lead(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """Say how the lead ended."""
    data = event["data"]
    return {"campaign_id": data["campaign_id"], "lead_id": data["lead_id"], "outcome": event["name"]}


async def write_report(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """Count outcomes over all leads and write the report."""
    data = event["data"]
    outcomes: dict[str, int] = {}
    for finished in data["events"].get("lead.finished", []):
        outcomes[finished["outcome"]] = outcomes.get(finished["outcome"], 0) + 1
    report = {
        "campaign_id": data["key"],
        "complete": not data["partial"],
        "imported": data["primary"],
        "outcomes": dict(sorted(outcomes.items())),
    }
    await ctx.step("write", _write_report, report)
    return report


def _write_report(report: dict[str, Any]) -> str:
    path = output_folder(report["campaign_id"]) / "report.json"
    path.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return str(path)


def check_timeouts(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """Look which campaigns have no report yet; what a scheduled query does."""
    folders = [folder for folder in (HERE / "output").glob("*") if folder.is_dir()]
    without = sorted(folder.name for folder in folders if not (folder / "report.json").exists())
    ctx.log.info("timeouts.checked", campaigns=len(folders), unfinished=len(without))
    return {"campaigns": len(folders), "unfinished": without}
