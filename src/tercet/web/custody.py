"""Routes of the keeping of data: keys, archives, exports."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from tercet.domain.duration import parse_seconds
from tercet.domain.errors import InvalidInput, NotAllowed
from tercet.humans.person import Person
from tercet.humans.tokens import DEFAULT_OWNER
from tercet.web.access import Caller, Node, person_of

router = APIRouter(tags=["custody"])


async def operator_of(person: Annotated[Person, Depends(person_of)]) -> Person:
    """Return the caller when it is the owner of the data folder. Raises NotAllowed."""
    if person.role != "owner" or person.owner_id != DEFAULT_OWNER:
        raise NotAllowed("only the owner of the data folder may do this")
    return person


Operator = Annotated[Person, Depends(operator_of)]
Place = Annotated[str | None, Query(max_length=2_000)]


@router.get("/keys")
async def list_keys(node: Node, _operator: Operator) -> dict[str, Any]:
    """Return the keys for data at rest, the sealing one first, and what each has sealed."""
    uses = await node.custody.keys.all(await node.custody.archive.keys_in_use())
    return {"items": [asdict(use) for use in uses], "next_cursor": None}


@router.post("/keys/rotate", status_code=201)
async def rotate(node: Node, _operator: Operator) -> dict[str, Any]:
    """Seal with a new key from now on. `POST /keys/reseal` then seals again what is stored."""
    return {"key_id": await node.custody.keys.rotate()}


@router.post("/keys/reseal")
async def reseal(node: Node, _operator: Operator, cursor: Place = None) -> dict[str, Any]:
    """Seal a batch of stored texts with the sealing key; call it with `cursor` until that is null."""
    return asdict(await node.custody.keys.reseal(cursor))


@router.delete("/keys/{key_id}", status_code=204)
async def drop_key(key_id: str, node: Node, _operator: Operator) -> None:
    """Forget a key. 409 while anything in the database or in an archive needs it."""
    await node.custody.keys.drop(key_id, node.custody.archive.keys_in_use)


@router.post("/archive")
async def archive(
    node: Node,
    _operator: Operator,
    older_than: Annotated[str, Query(max_length=50)],
    dry_run: bool = False,
    cursor: Place = None,
) -> dict[str, Any]:
    """Archive one file of executions that ended so long ago (`90d`); call it with `cursor` until that is null."""
    try:
        older_than_ms = int(parse_seconds(older_than) * 1000)
    except ValueError as error:
        raise InvalidInput(str(error), detail=[{"field": "older_than", "rule": "is a duration"}]) from error
    if dry_run:
        counts = await node.custody.archive.candidates(older_than_ms=older_than_ms)
        return {"dry_run": True, "executions": sum(counts.values()), "by_owner": counts}
    return asdict(await node.custody.archive.run(older_than_ms=older_than_ms, cursor=cursor))


@router.get("/archive/verify")
async def verify(node: Node, _operator: Operator) -> dict[str, Any]:
    """Check every archive file and the chain of their hashes: {files, problems: [{file, problem}]}."""
    return await node.custody.archive.verify()


@router.post("/archive/restore")
async def restore(
    node: Node, _operator: Operator, target: Annotated[str, Query(min_length=1, max_length=500)]
) -> dict[str, Any]:
    """Put an archived execution, or all of an archive file, back into the database."""
    return {"execution_ids": await node.custody.archive.restore(target)}


@router.get("/export", response_class=StreamingResponse)
async def export(
    node: Node, person: Caller, owner: Annotated[str | None, Query(max_length=200)] = None
) -> StreamingResponse:
    """Return everything of the caller's owner as a zip, decrypted and without secrets."""
    if person.role != "owner":
        raise NotAllowed(f"a {person.role} may not export", hint="the owner may")
    owner_id = person.owner_id if owner is None else owner
    if owner_id != person.owner_id and person.owner_id != DEFAULT_OWNER:
        raise NotAllowed("this is somebody else's data")
    return StreamingResponse(
        node.custody.export.stream(owner_id),
        media_type="application/zip",
        headers={"content-disposition": 'attachment; filename="tercet-export.zip"'},
    )
