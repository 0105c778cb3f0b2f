"""Turns: what a message leads to."""

from __future__ import annotations

from typing import Any

from tests.integration.chat.scripts import decided


def test_a_message_without_a_key_is_answered_by_the_mock_and_says_so(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("What is a supplier?")

        assert said["status"] == "COMPLETED"
        assert "mock Claude" in said["answer"]["content"]
        assert "no real model" in said["answer"]["detail"]["note"]
        assert [m["role"] for m in await api.messages(said["conversation_id"])] == ["user", "assistant"]

    with_chat(use)


def test_a_template_is_filled_in_when_the_message_gives_its_variables(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Generate a supplier contract template for ACME Ltd in Denmark.")

        assert "**ACME Ltd**" in said["answer"]["content"]
        assert "law of Denmark" in said["answer"]["content"]
        assert said["answer"]["detail"]["template"] == "supplier-contract"

    with_chat(use)


def test_a_template_whose_variables_are_missing_makes_the_chat_ask_and_the_answer_goes_on(with_chat):
    async def use(api: Any) -> None:
        asked = await api.say("Please write a supplier contract for ACME Ltd")
        done = await api.say("Denmark", conversation_id=asked["conversation_id"])

        assert asked["answer"]["detail"]["kind"] == "question"
        assert "jurisdiction" in asked["answer"]["content"]
        assert "supplier_name" not in asked["answer"]["content"]
        assert "**ACME Ltd**" in done["answer"]["content"]
        assert "law of Denmark" in done["answer"]["content"]

    with_chat(use)


def test_a_decider_that_responds_ends_the_turn_with_one_model_call(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Hello")

        assert said["answer"]["content"] == "Hello, how can I help?"
        assert said["answer"]["detail"]["kind"] == "response"
        assert said["answer"]["cost_usd"] > 0

    with_chat(use, rules=[decided(action="respond", message="Hello, how can I help?")])


def test_an_execution_by_the_model_is_persisted_with_model_and_cost(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Compare the two offers")
        shown = await api.call("GET", f"/executions/{said['execution_id']}")

        log = await api.call("GET", f"/executions/{said['execution_id']}/events?after=0")
        done = [e["subtask_id"] for e in log["items"] if e["event_type"] == "subtask_complete"]

        assert log["items"][0]["name"] == "chat.message"
        assert done == ["documents", "decide", "policy", "execute", "answer"]
        assert said["answer"]["content"] == "Offer B is cheaper."
        assert said["answer"]["detail"]["model"].startswith("claude-sonnet")
        assert abs(said["answer"]["cost_usd"] - shown["costs"]["cost_usd"]) < 1e-9
        assert {step["name"] for step in shown["tasks"][0]["subtasks"]} == {
            "documents", "decide", "policy", "execute", "answer",
        }  # fmt: skip

    with_chat(
        use,
        rules=[
            decided(action="execute", executor_type="llm", task={"prompt": "Compare the offers."}),
            {"reply": {"text": "Offer B is cheaper."}},
        ],
    )
