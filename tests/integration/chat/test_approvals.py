"""Actions that a person has to allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tercet.tools.base import ToolBase

CALL = '/tool stamp {"n": 1}'


class ChatStamp(ToolBase):
    """Has a side effect that can be counted from outside."""

    def __init__(self, path: Path, *, idempotent: bool = False) -> None:
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        super().__init__(name="stamp", description="Stamps.", input_schema=schema, idempotent=idempotent)
        self.path = path

    def _execute_impl(self, arguments: dict[str, Any]) -> Any:
        with self.path.open("a") as file:
            file.write(f"{arguments['n']}\n")
        return {"stamped": arguments["n"]}


def add_stamp(api: Any, folder: Path) -> Path:
    """Give the node the tool; return the file that it writes to."""
    path = folder / "stamps"
    api.node.tools.add(ChatStamp(path), origin="test")
    return path


async def asked(api: Any) -> tuple[dict[str, Any], str]:
    """Ask for the tool; return what was answered, and the approval's path."""
    said = await api.say(CALL, status=202)
    assert said["answer"] is None
    return said, f"/approvals/{said['approvals'][0]['approval_id']}"


async def last(api: Any, said: dict[str, Any]) -> dict[str, Any]:
    """Return the newest message once nothing runs any more."""
    await api.node.engine.wait_idle()
    messages: list[dict[str, Any]] = await api.messages(said["conversation_id"])
    return messages[-1]


def test_a_tool_with_side_effects_waits_for_a_person_and_runs_once(with_chat, tmp_path):
    async def use(api: Any) -> None:
        stamps = add_stamp(api, tmp_path)
        said, approval = await asked(api)
        assert not stamps.exists()
        await api.call("POST", f"{approval}/decision", json={"decision": "approve"})
        answer = await last(api, said)
        audit = await api.call("GET", f"/executions/{said['execution_id']}/tool-calls")

        assert stamps.read_text() == "1\n"
        assert '"stamped":1' in answer["content"]
        assert [call["outcome"] for call in audit["items"]] == ["success"]

    with_chat(use)


def test_what_was_edited_in_the_approval_is_what_is_done(with_chat, tmp_path):
    async def use(api: Any) -> None:
        stamps = add_stamp(api, tmp_path)
        said, approval = await asked(api)
        edits = {"decision": "approve", "edits": {"arguments": {"n": 7}}}
        await api.call("POST", f"{approval}/decision", json=edits)
        await last(api, said)

        assert stamps.read_text() == "7\n"

    with_chat(use)


def test_a_rejected_action_is_not_done_and_the_reason_is_told(with_chat, tmp_path):
    async def use(api: Any) -> None:
        stamps = add_stamp(api, tmp_path)
        said, approval = await asked(api)
        no = {"decision": "reject", "feedback": "not today"}
        await api.call("POST", f"{approval}/decision", json=no)
        answer = await last(api, said)

        assert not stamps.exists()
        assert "not today" in answer["content"]
        assert answer["detail"]["kind"] == "refused"

    with_chat(use)


def test_a_decision_that_comes_too_late_is_refused_and_nothing_is_done(with_chat, tmp_path):
    async def use(api: Any) -> None:
        stamps = add_stamp(api, tmp_path)
        api.node.chat.services.approval_seconds = 0.05
        said, approval = await asked(api)
        with api.node.services.feed.watch(said["conversation_id"]) as queue:
            while (await queue.get())["type"] != "message.persisted":
                pass
        late = await api.call("POST", f"{approval}/decision", status=409, json={"decision": "approve"})
        answer = await last(api, said)

        assert late["code"] == "ALREADY_DECIDED"
        assert not stamps.exists()
        assert "in time" in answer["content"]

    with_chat(use)


def test_a_turn_that_waits_goes_on_when_its_conversation_is_gone_and_writes_nothing(with_chat, tmp_path):
    async def use(api: Any) -> None:
        stamps = add_stamp(api, tmp_path)
        said, approval = await asked(api)
        await api.call("DELETE", f"/conversations/{said['conversation_id']}", status=204)
        await api.call("POST", f"{approval}/decision", json={"decision": "approve"})
        await api.node.engine.wait_idle()
        shown = await api.call("GET", f"/executions/{said['execution_id']}")

        assert not stamps.exists()
        assert shown["status"] == "COMPLETED"
        await api.call("GET", f"/conversations/{said['conversation_id']}", status=404)

    with_chat(use)


def test_arguments_that_the_tool_refuses_are_told_and_nothing_is_done(with_chat, tmp_path):
    async def use(api: Any) -> None:
        said = await api.say('/tool calculator {"operation": "conquer"}')

        assert said["answer"]["detail"]["code"] == "INVALID_INPUT"

    with_chat(use)


def test_a_tool_without_side_effects_runs_at_once(with_chat):
    async def use(api: Any) -> None:
        said = await api.say('/tool calculator {"operation": "add", "a": 15, "b": 27}')

        assert "42" in said["answer"]["content"]

    with_chat(use)
