"""Larry's telephone: with an account he calls through Twilio's API, here a local server that takes its requests."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from examples.larry.contact import make_phone_call
from examples.larry.demo import phone_of, plan_for
from examples.larry.desk import QUALIFIED, Desk, Twilio
from tercet.web.serving import serving
from tercet.worker import Blocked, NeedsReview, Task

ROW = {"contact_name": "Carol Whitfield", "phone": "555-0101", "status": "new"}


def task_with(**fields: Any) -> Task:
    return Task(
        execution_id="e", plan_id="p", task_id="task_2_1_a", plan_task_id="task_2_1", action="make_phone_call",
        params={"number": 1, "ask": "Records & customers?"}, tell=lambda message, output: None, **fields,
    )  # fmt: skip


def desk_with(folder: Path, phone: Twilio | None) -> Desk:
    desk = Desk(folder=folder, web_url="http://127.0.0.1:9", smtp_port=9, phone=phone)
    desk.write(QUALIFIED, [ROW])
    return desk


@pytest.mark.parametrize(("status", "expected"), [(201, NeedsReview), (400, Blocked)])
def test_a_call_is_placed_once_and_a_person_says_how_it_went(
    tmp_path: Path, status: int, expected: type[NeedsReview]
):
    calls: list[tuple[str, str, dict[str, Any]]] = []

    async def take(request: Request) -> Response:
        form = await request.form()
        calls.append((request.url.path, request.headers["authorization"], dict(form)))
        return JSONResponse({"sid": "CA1"}, status)

    async def go() -> None:
        app = Starlette(routes=[Route("/2010-04-01/Accounts/{sid}/Calls.json", take, methods=["POST"])])
        async with serving(app) as url:
            phone = Twilio(account_sid="AC1", auth_token="secret", from_number="555-0199", api_url=url)
            desk = desk_with(tmp_path, phone)
            with pytest.raises(expected) as raised:
                await asyncio.to_thread(make_phone_call, desk, task_with())
            assert raised.value.suggestions == ["Is interested", "Is not"]
            answer = {"option": "approve_suggestion_1", "feedback": "calls back"}
            done = await asyncio.to_thread(make_phone_call, desk, task_with(review=answer))
        assert done == {"contact_name": "Carol Whitfield", "outcome": "interested", "notes": "calls back"}

    asyncio.run(go())

    ((path, authorization, form),) = calls
    assert path == "/2010-04-01/Accounts/AC1/Calls.json"
    assert authorization == "Basic " + base64.b64encode(b"AC1:secret").decode()
    assert (form["To"], form["From"]) == ("555-0101", "555-0199")
    assert "<Say>Records &amp; customers?</Say>" in form["Twiml"]


def test_people_call_without_an_account_and_approve_each_call_with_one(tmp_path: Path):
    account = {"TWILIO_ACCOUNT_SID": "AC1", "TWILIO_AUTH_TOKEN": "secret", "TWILIO_FROM": "555-0199"}

    def tier(phone: Twilio | None) -> int:
        plan = plan_for(desk_with(tmp_path, phone))
        return int(
            next(t["risk_tier"] for p in plan["phases"] for t in p["tasks"] if t["task_id"] == "task_2_1")
        )

    assert phone_of({**account, "TWILIO_FROM": ""}) is None
    assert tier(None) == 3
    assert tier(phone_of(account)) == 2
