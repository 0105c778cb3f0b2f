"""The bare endpoint: FastAPI and the same group commit, with one row an event and nothing around it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import uvicorn
import uvloop
from fastapi import FastAPI, Request

from tercet.domain.codec import from_json
from tercet.domain.ids import IdMint
from tercet.store import statements as sql
from tercet.store.migrate import migrate
from tercet.store.sqlite import open_writer
from tercet.store.sqlite_journal import SqliteJournal
from tercet.store.unit import Unit


def create_app(journal: SqliteJournal) -> FastAPI:
    """Return an app with one route that stores an event."""
    app = FastAPI(openapi_url=None)
    seqs: dict[str, int] = {}

    @app.post("/api/executions/{execution_id}/events", status_code=201)
    async def record(execution_id: str, request: Request) -> dict[str, object]:
        body = from_json(await request.body())
        seq = seqs[execution_id] = seqs.get(execution_id, 0) + 1
        unit = Unit()
        unit.add(
            sql.INSERT_EVENT,
            (
                execution_id, seq, body["event_type"], None, None, body["task_id"], body["agent_id"], "running",
                body["message"], None, None, None, None, 0, None,
            ),
        )  # fmt: skip
        await journal.submit(unit)
        return {"event_id": f"evt_{execution_id}_{seq}", "execution_id": execution_id}

    return app


async def _serve(folder: Path) -> None:
    database = folder / "bare.db"
    migrate(f"sqlite:///{database}")
    journal = SqliteJournal(open_writer(database))
    await journal.start()
    mint = IdMint(now_ms=lambda: 0)
    assert mint.mint("x")
    config = uvicorn.Config(
        create_app(journal), port=0, log_level="warning", lifespan="off", access_log=False
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 uvicorn has no event for it
        await asyncio.sleep(0.01)
    print(f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", flush=True)
    await serving
    await journal.stop()


if __name__ == "__main__":
    uvloop.run(_serve(Path(sys.argv[1])))
