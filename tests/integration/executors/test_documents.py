"""Real documents become Markdown; damaged and oversized ones become failures."""

from __future__ import annotations

import base64
import io
import zipfile

import pytest
from openpyxl import Workbook  # type: ignore[import-untyped]

from tercet.domain.contract import ExecutorRequest, ExecutorResult
from tercet.executors.document_processor import DocumentProcessorExecutor

_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Target="word/document.xml" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>'
)
_WORDS = (
    '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    "<w:body><w:p><w:r><w:t>Supplier contract</w:t></w:r></w:p></w:body></w:document>"
)


def docx() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS)
        archive.writestr("word/document.xml", _WORDS)
    return out.getvalue()


def xlsx() -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["name", "litters"], ["Ada", 3]):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pdf() -> bytes:
    stream = b"BT /F1 24 Tf 72 700 Td (Supplier contract) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        size, table, size, len(out),
    )  # fmt: skip


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 210_000_000)
    return out.getvalue()


async def convert(filename: str, raw: bytes) -> ExecutorResult:
    task = {"filename": filename, "content_base64": base64.b64encode(raw).decode()}
    request = {"task_id": "t", "executor_type": "document_processor", "task": task}
    return await DocumentProcessorExecutor().run(ExecutorRequest.model_validate(request))


@pytest.mark.parametrize(
    ("filename", "raw", "words"),
    [
        ("a.docx", docx(), ["Supplier contract"]),
        ("a.xlsx", xlsx(), ["| name | litters |", "| Ada | 3 |"]),
        ("a.pdf", pdf(), ["Supplier contract"]),
        ("a.html", b"<h1>Title</h1><p>Body</p>", ["# Title", "Body"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_document_becomes_markdown(filename, raw, words):
    result = await convert(filename, raw)

    assert result.result is not None, result.error
    assert all(word in result.result["content"] for word in words)


@pytest.mark.parametrize(
    ("filename", "raw", "code"),
    [
        ("a.pdf", b"not a pdf", "DOCUMENT_ERROR"),
        ("a.xlsx", docx(), "DOCUMENT_ERROR"),
        ("a.docx", bomb(), "DOCUMENT_TOO_LARGE"),
    ],
    ids=["no pdf", "another format", "a bomb"],
)
async def test_a_damaged_or_oversized_document_fails_with_a_code(filename, raw, code):
    result = await convert(filename, raw)

    assert result.error is not None
    assert result.error.code == code
