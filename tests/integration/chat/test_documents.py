"""Documents: upload, limits, full-text search, and what an executor is shown of them."""

from __future__ import annotations

from typing import Any

from tests.integration.chat.scripts import decided

CONTRACT = b"""# Supplier Contract v2

## Payment

Invoices of ACME are due within 45 days of receipt.

## Delivery

Goods are delivered to the warehouse in Aarhus.
"""


def test_an_uploaded_document_is_found_by_its_words_with_title_and_place(with_chat):
    async def use(api: Any) -> None:
        made = await api.upload("contract.md", CONTRACT, title="Supplier Contract v2")
        found = await api.call("GET", f"/projects/{api.project_id}/search?q=When are invoices due%3F")

        assert made["passages"] == 3
        assert found["items"][0]["title"] == "Supplier Contract v2"
        assert found["items"][0]["place"] == "Supplier Contract v2 › Payment"
        assert "[due]" in found["items"][0]["snippet"]

    with_chat(use)


def test_the_same_content_is_kept_once(with_chat):
    async def use(api: Any) -> None:
        first = await api.upload("a.md", CONTRACT)
        second = await api.upload("b.md", CONTRACT, status=200)

        assert second["document_id"] == first["document_id"]

    with_chat(use)


def test_a_deleted_document_is_not_found_any_more(with_chat):
    async def use(api: Any) -> None:
        made = await api.upload("contract.md", CONTRACT)
        await api.call("DELETE", f"/documents/{made['document_id']}", status=204)
        found = await api.call("GET", f"/projects/{api.project_id}/search?q=invoices")

        assert found["items"] == []
        await api.call("GET", f"/documents/{made['document_id']}", status=404)

    with_chat(use)


def test_a_deleted_project_takes_its_documents_and_conversations_with_it(with_chat):
    async def use(api: Any) -> None:
        made = await api.upload("contract.md", CONTRACT)
        said = await api.say("Hello there")
        await api.call("DELETE", f"/projects/{api.project_id}", status=204)

        await api.call("GET", f"/documents/{made['document_id']}", status=404)
        await api.call("GET", f"/conversations/{said['conversation_id']}", status=404)
        await api.call("GET", f"/executions/{said['execution_id']}")

    with_chat(use)


def test_documents_of_a_type_or_size_that_is_not_taken_are_refused(with_chat):
    async def use(api: Any) -> None:
        program = await api.upload("program.exe", b"MZ\x90\x00", status=422)
        large = await api.upload("large.txt", b"x" * 5_001, status=413)
        empty = await api.upload("empty.txt", b"", status=422)
        broken = await api.upload("broken.pdf", b"%PDF-1.4 not really", status=422)

        assert "not read" in program["error"]
        assert large["code"] == "TOO_LARGE"
        assert "empty" in empty["error"]
        assert broken["code"] == "INVALID_INPUT"

    with_chat(use, max_document_bytes=5_000)


def test_an_upload_without_a_file_or_without_multipart_is_refused(with_chat):
    async def use(api: Any) -> None:
        path = f"/projects/{api.project_id}/documents"
        await api.call("POST", path, status=422, json={"file": "x"})
        await api.call("POST", path, status=422, files={"other": ("a.txt", b"x")})

    with_chat(use)


def test_the_executor_is_shown_the_passages_that_fit_and_the_answer_names_them(with_chat):
    async def use(api: Any) -> None:
        await api.upload("contract.md", CONTRACT)
        said = await api.say("Within how many days are invoices of ACME due?")

        assert said["answer"]["content"] == "45 days."
        assert said["answer"]["detail"]["sources"][0]["place"] == "Supplier Contract v2 › Payment"

    with_chat(
        use,
        rules=[
            decided(action="execute", executor_type="llm", task={"prompt": "Find the payment term."}),
            {"match": {"prompt_contains": "due within 45 days"}, "reply": {"text": "45 days."}},
            {"reply": {"text": "I do not know."}},
        ],
    )


def test_an_attachment_becomes_a_document_and_is_shown_first(with_chat):
    async def use(api: Any) -> None:
        attachment = {"filename": "note.txt", "text": "The password of the day is swordfish."}
        said = await api.say("What does my note say?", attachments=[attachment])
        documents = await api.call("GET", f"/projects/{api.project_id}/documents")

        assert said["answer"]["content"] == "swordfish"
        assert [item["filename"] for item in documents["items"]] == ["note.txt"]

    with_chat(
        use,
        rules=[
            decided(action="execute", executor_type="llm", task={"prompt": "Read the note."}),
            {"match": {"prompt_contains": "swordfish"}, "reply": {"text": "swordfish"}},
            {"reply": {"text": "nothing"}},
        ],
    )


def test_search_takes_the_characters_of_a_query_language_as_plain_text(with_chat):
    async def use(api: Any) -> None:
        await api.upload("contract.md", CONTRACT)
        for query in (
            '"',
            "a OR b AND NOT (",
            "title:x*",
            "NEAR(a b)",
            "'; DROP TABLE documents; --",
            "*",
            "ÆØÅ",
        ):
            await api.call("GET", f"/projects/{api.project_id}/search", params={"q": query})
        found = await api.call("GET", f"/projects/{api.project_id}/search", params={"q": 'invoices" OR'})

        assert len(found["items"]) == 1

    with_chat(use)
