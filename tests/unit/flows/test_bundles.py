"""Bundles: items of many executions, one look, a verdict each (bundle approval pattern; approval rule P9)."""

from __future__ import annotations

import pytest

from tercet.domain.errors import AlreadyDecided, InvalidInput

BUNDLE = """
name: bundle
events:
  - {name: item.made}
  - {name: item.approved, description: final}
  - {name: item.rejected, description: final}
humans:
  - name: review
    trigger: {event: item.made}
    bundle: {key: campaign, expects: 3}
    editable: [text]
    timeout: 1h
    emits: [{event: item.approved, on: approve}, {event: item.rejected, on: reject}, {event: item.rejected, on: timeout}]
"""


def test_items_of_many_executions_are_decided_together_with_a_verdict_each(flow, virtual):
    async def go() -> None:
        async with flow(BUNDLE) as f:
            executions = [await f.run("item.made", {"campaign": "c", "text": f"t{n}"}) for n in range(3)]
            other = await f.run("item.made", {"campaign": "d", "text": "x"})
            approval, alone = await f.approvals()
            ids = {item["execution_id"]: item["id"] for item in approval["items"]}
            assert (approval["items_total"], alone["items_total"]) == (3, 1)
            assert approval["ready_at_ms"] is not None
            assert alone["ready_at_ms"] is None

            decided = await f.decide(
                approval["id"],
                decision="approve",
                items=[
                    ids[executions[0]["id"]],
                    {"item_id": ids[executions[1]["id"]], "edits": {"text": "better"}},
                    {"item_id": ids[executions[2]["id"]], "decision": "reject", "feedback": "no"},
                ],
            )
            await f.idle()

            assert decided["status"] == "decided"
            assert [(await f.execution(e["id"]))["status"] for e in executions] == ["COMPLETED"] * 3
            assert (await f.event_data(executions[1]["id"], "item.approved"))[0]["text"] == "better"
            assert "item.rejected" in await f.event_names(executions[2]["id"])
            assert (await f.execution(other["id"]))["status"] == "BLOCKED"

    virtual(go())


def test_a_bundle_is_refused_when_the_decision_names_no_items(flow, virtual):
    async def go() -> None:
        async with flow(BUNDLE) as f:
            for n in range(2):
                await f.run("item.made", {"campaign": "c", "text": f"t{n}"})
            [approval] = await f.approvals()

            with pytest.raises(InvalidInput, match="items is required: the bundle has 2 open items"):
                await f.decide(approval["id"], decision="approve")

    virtual(go())


def test_the_rest_of_a_bundle_stays_open_when_one_item_is_decided(flow, virtual):
    async def go() -> None:
        async with flow(BUNDLE) as f:
            for n in range(2):
                await f.run("item.made", {"campaign": "c", "text": f"t{n}"})
            [approval] = await f.approvals()

            decided = await f.decide(approval["id"], decision="approve", items=[approval["items"][0]["id"]])

            assert (decided["status"], decided["items_open"]) == ("pending", 1)
            with pytest.raises(AlreadyDecided):
                await f.decide(approval["id"], decision="approve", items=[approval["items"][0]["id"]])

    virtual(go())
