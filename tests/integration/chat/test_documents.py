"""Documents: upload, limits, full-text search, and what an executor is shown of them."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.integration.chat.scripts import decided

from tercet.chat.documents import Source

CONTRACT = b"""# Supplier Contract v2

## Payment

Invoices of ACME are due within 45 days of receipt.

## Delivery

Goods are delivered to the warehouse in Aarhus.
"""


def pdf(*pages: str) -> bytes:
    """Return a PDF with one line a page."""
    objects, font = [b"<< /Type /Catalog /Pages 2 0 R >>"], 3 + 2 * len(pages)
    kids = " ".join(f"{3 + 2 * index} 0 R" for index in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode())
    for index, text in enumerate(pages):
        stream = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {4 + 2 * index} 0 R "
            f"/Resources << /Font << /F1 {font} 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))
    return out + head + tail


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


def test_a_passage_of_a_pdf_says_on_which_page_it_stands(with_chat):
    async def use(api: Any) -> None:
        await api.upload("terms.pdf", pdf("Delivery in May", "Payment in June"), title="Terms")
        found = await api.call("GET", f"/projects/{api.project_id}/search?q=payments")

        assert found["items"][0]["place"] == "page 2"

    with_chat(use)


def test_one_content_that_is_uploaded_many_times_at_once_is_kept_once(with_chat):
    async def use(api: Any) -> None:
        add = api.node.chat.documents.add
        rows = await asyncio.gather(
            *(
                add(
                    api.project_id, Source(filename=f"{n}.md", content=CONTRACT), owner_id="local", user="ada"
                )
                for n in range(4)
            )
        )

        assert len({row["id"] for row, _ in rows}) == 1
        assert sum(is_new for _, is_new in rows) == 1

    with_chat(use)


def test_a_document_of_megabytes_is_taken_and_searched(with_chat):
    async def use(api: Any) -> None:
        text = "\n\n".join(f"Paragraph {n} is about topic{n} and nothing else." for n in range(60_000))
        made = await api.upload("long.txt", text.encode())
        found = await api.call("GET", f"/projects/{api.project_id}/search?q=topic41234")

        assert made["passages"] > 2_000
        assert "[topic41234]" in found["items"][0]["snippet"]

    with_chat(use)


def test_a_body_over_the_cap_is_refused_before_it_is_read(with_chat):
    async def use(api: Any) -> None:
        refused = await api.upload("large.txt", b"x" * 5_100_000, status=413)

        assert refused["code"] == "TOO_LARGE"

    with_chat(use)


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
