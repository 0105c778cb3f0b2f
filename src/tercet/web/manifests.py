"""Routes of manifests."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from tercet.domain.clock import to_iso
from tercet.domain.errors import InvalidInput
from tercet.flows.catalog import Deployed
from tercet.manifest.checks import open_text
from tercet.manifest.event_graph import event_graph
from tercet.manifest.mermaid import to_mermaid
from tercet.manifest.svg import to_svg
from tercet.store.manifests import revisions_of
from tercet.web.access import Caller, Node, Writer, page

router = APIRouter(prefix="/manifests", tags=["manifests"])
_YAML_BODY = {
    "requestBody": {"required": True, "content": {"application/yaml": {"schema": {"type": "string"}}}}
}


def _to_wire(deployed: Deployed) -> dict[str, Any]:
    manifest = deployed.definition.revision.manifest
    return {
        "manifest_id": deployed.manifest_id,
        "name": deployed.name,
        "description": manifest.description,
        "revision": deployed.revision,
        "counts": {
            "agents": len(manifest.agents),
            "functions": len(manifest.functions),
            "humans": len(manifest.humans),
            "events": len(manifest.events),
        },
        "warnings": deployed.warnings,
    }


@router.post("", status_code=201, openapi_extra=_YAML_BODY)
async def deploy(request: Request, node: Node, person: Writer) -> JSONResponse:
    """Check a manifest (YAML) and put it in force: 201 for a new revision, 200 for the one in force already."""
    raw = await request.body()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            "the manifest is not UTF-8", detail=[{"field": "body", "rule": "must be UTF-8"}]
        ) from error
    loaded = open_text(text, executor_types=node.registry.types, allowed_handlers=node.catalog.handlers.names)
    before = {d.name: d.revision for d in node.catalog.all_active(person.owner_id)}
    deployed = await node.catalog.deploy(node.engine, loaded, owner_id=person.owner_id)
    created = before.get(deployed.name) != deployed.revision
    return JSONResponse(_to_wire(deployed), status_code=201 if created else 200)


@router.get("")
async def list_manifests(node: Node, person: Caller) -> dict[str, Any]:
    """Return the manifests in force."""
    items = [_to_wire(deployed) for deployed in node.catalog.all_active(person.owner_id)]
    return page(items, len(items) + 1, "name")


@router.get("/{name}")
async def show(name: str, node: Node, person: Caller) -> dict[str, Any]:
    """Return a manifest in force, with its source and its revisions."""
    deployed = node.catalog.active(person.owner_id, name)
    rows = await node.reader.read(revisions_of, person.owner_id, name)
    return {
        **_to_wire(deployed),
        "source": next(row["source"] for row in rows if row["id"] == deployed.manifest_id),
        "handlers": [
            {"name": block.name, "executor": deployed.definition.handler(block.name).executor}
            for block in deployed.definition.blocks.values()
        ],
        "revisions": [
            {
                "manifest_id": row["id"],
                "revision": row["revision"],
                "created_at": to_iso(row["created_at_ms"]),
            }
            for row in rows
        ],
    }


@router.get("/{name}/graph")
async def graph(
    name: str, node: Node, person: Caller, format: str = Query(default="mermaid", pattern="^(mermaid|svg)$")
) -> Response:
    """Return the event graph as Mermaid, or as SVG with `?format=svg`."""
    drawn = event_graph(node.catalog.active(person.owner_id, name).definition.revision.manifest)
    if format == "svg":
        return Response(to_svg(drawn), media_type="image/svg+xml")
    return Response(to_mermaid(drawn), media_type="text/plain; charset=utf-8")
