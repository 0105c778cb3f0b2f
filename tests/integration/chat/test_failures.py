"""What the backend does when something fails: another model, another attempt, or plain words."""

from __future__ import annotations

from typing import Any

from tests.integration.chat.scripts import DECIDER, OVERLOADED, WRITE, decided


def test_another_allowed_model_answers_when_the_first_cannot(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Write something")

        assert said["answer"]["content"] == "Written."
        assert said["answer"]["detail"]["model"].startswith("claude-haiku")

    with_chat(
        use,
        rules=[
            WRITE,
            {"match": {"model": "claude-sonnet-5-5"}, "reply": OVERLOADED},
            {"reply": {"text": "Written."}},
        ],
    )


def test_a_failure_that_may_pass_is_tried_again_without_deciding_again(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Write something")
        shown = await api.call("GET", f"/executions/{said['execution_id']}")
        ledger = await api.call("GET", f"/ledger?execution_id={said['execution_id']}")

        assert said["answer"]["content"] == "Written."
        assert shown["tasks"][0]["attempt"] == 2
        assert ledger["items"][0]["calls"] == 4

    # Both models fail once; the fourth call of the turn, after the decider's, gives the answer.
    with_chat(use, rules=[WRITE, {"reply": OVERLOADED, "times": 2}, {"reply": {"text": "Written."}}])


def test_a_failure_that_lasts_is_told_without_internals(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Write something")

        assert said["status"] == "COMPLETED"
        assert said["answer"]["detail"]["kind"] == "failed"
        assert said["answer"]["detail"]["code"] == "MODEL_OVERLOADED"
        assert "busy" in said["answer"]["content"]
        assert "secret" not in str(said)

    with_chat(use, rules=[WRITE, {"reply": OVERLOADED}])


def test_a_decider_that_cannot_be_reached_is_told_too(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Write something")

        assert said["answer"]["detail"]["kind"] == "failed"
        assert "busy" in said["answer"]["content"]

    with_chat(use, rules=[{"match": {"system_contains": DECIDER}, "reply": OVERLOADED}])


def test_a_decider_whose_answer_says_nothing_leads_to_an_ordinary_answer(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Write something")

        assert said["answer"]["content"] == "Written."

    with_chat(use, rules=[decided(action="execute"), {"reply": {"text": "Written."}}])


def test_a_decider_that_breaks_its_schema_is_not_asked_again_and_the_rules_decide(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Write something")
        ledger = await api.call("GET", f"/ledger?execution_id={said['execution_id']}")

        assert said["answer"]["content"] == "Written."
        assert ledger["items"][0]["calls"] == 2

    nonsense = {"match": {"system_contains": DECIDER}, "reply": {"text": "I would rather talk."}}
    with_chat(use, rules=[nonsense, {"reply": {"text": "Written."}}])


def test_an_executor_or_tool_that_is_not_there_is_refused_before_anything_runs(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Delete the database")

        assert said["answer"]["detail"]["kind"] == "refused"
        assert "no such tool" in said["answer"]["content"]

    with_chat(use, rules=[decided(action="execute", executor_type="tool_call", task={"tool": "drop_tables"})])


def test_a_turn_over_its_budget_asks_a_person_and_a_no_is_told(with_chat):
    async def use(api: Any) -> None:
        said = await api.say("Write something", status=202)
        approval = said["approvals"][0]["approval_id"]
        no = {"decision": "reject", "feedback": "too dear"}
        await api.call("POST", f"/approvals/{approval}/decision", json=no)
        await api.node.engine.wait_idle()
        messages = await api.messages(said["conversation_id"])

        assert "budget" in messages[-1]["content"]
        assert messages[-1]["detail"]["code"] == "COST_LIMIT_REACHED"

    with_chat(use, rules=[WRITE, {"reply": {"text": "Written."}}], chat_turn_usd="0.000001")
