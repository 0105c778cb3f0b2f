"""Routes of manifests."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from tercet.domain.clock import to_iso
from tercet.domain.errors import InvalidInput, NotFound
from tercet.flows.catalog import Deployed
from tercet.manifest.checks import open_text
from tercet.manifest.event_graph import event_graph
from tercet.manifest.loader import LoadedManifest
from tercet.manifest.mermaid import to_mermaid
from tercet.manifest.svg import to_svg
from tercet.store.manifests import revisions_of
from tercet.store.reader import Record
from tercet.web.access import Caller, Node, Writer, page
from tercet.wiring import Tercet

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


def _revision_to_wire(row: Record) -> dict[str, Any]:
    return {
        "manifest_id": row["id"],
        "revision": row["revision"],
        "created_at": to_iso(row["created_at_ms"]),
    }


def _open(raw: bytes, node: Tercet) -> LoadedManifest:
    """Read and check a body. Raises InvalidInput, or InvalidManifest with every problem."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            "the manifest is not UTF-8", detail=[{"field": "body", "rule": "must be UTF-8"}]
        ) from error
    return open_text(text, executor_types=node.registry.types, allowed_handlers=node.catalog.handlers.names)


@router.post("", status_code=201, openapi_extra=_YAML_BODY)
async def deploy(request: Request, node: Node, person: Writer) -> JSONResponse:
    """Check a manifest (YAML) and put it in force: 201 for a new revision, 200 for the one in force already."""
    loaded = _open(await request.body(), node)
    before = {d.name: d.revision for d in node.catalog.all_active(person.owner_id)}
    deployed = await node.catalog.deploy(node.engine, loaded, owner_id=person.owner_id)
    created = before.get(deployed.name) != deployed.revision
    return JSONResponse(_to_wire(deployed), status_code=201 if created else 200)


@router.post("/check", openapi_extra=_YAML_BODY)
async def check(request: Request, node: Node, person: Writer) -> dict[str, Any]:
    """Check a manifest and change nothing. Raises what deploying raises."""
    loaded = _open(await request.body(), node)
    revision = node.catalog.check(loaded)
    return {"name": revision.manifest.name, "warnings": [warning.to_wire() for warning in loaded.warnings]}


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
        "revisions": [_revision_to_wire(row) for row in rows],
    }


@router.get("/{name}/revisions/{revision}")
async def show_revision(name: str, revision: int, node: Node, person: Caller) -> dict[str, Any]:
    """Return one revision of a manifest, in force or not, with its source."""
    rows = await node.reader.read(revisions_of, person.owner_id, name)
    row = next((row for row in rows if row["revision"] == revision), None)
    if row is None:
        raise NotFound(f"there is no revision {revision} of {name!r}")
    return {**_revision_to_wire(row), "source": row["source"]}


@router.get("/{name}/graph")
async def graph(
    name: str, node: Node, person: Caller, format: str = Query(default="mermaid", pattern="^(mermaid|svg)$")
) -> Response:
    """Return the event graph as Mermaid, or as SVG with `?format=svg`."""
    drawn = event_graph(node.catalog.active(person.owner_id, name).definition.revision.manifest)
    if format == "svg":
        return Response(to_svg(drawn), media_type="image/svg+xml")
    return Response(to_mermaid(drawn), media_type="text/plain; charset=utf-8")
