"""`document_processor`: PDF, DOCX, HTML, XLSX, CSV and plain text to Markdown.

Task fields: `filename` or `mime_type`, and `content_base64` or `text`. Result: {content, format: markdown,
title?, encoding?, pages?}. Binary formats are read in a process of their own, with caps on time and memory.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import csv
import io
import sys
import zipfile
from pathlib import PurePath
from typing import Any

from tercet.domain.codec import from_json
from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult
from tercet.domain.text import decode_text

_LARGEST_BYTES = 25_000_000
_LARGEST_UNPACKED = 200_000_000
_LARGEST_RESULT = 5_000_000
_SECONDS = 60.0
_BY_MIME = {
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "text/html": ".html",
    "text/csv": ".csv",
    "text/plain": ".txt",
    "text/markdown": ".md",
}
_TEXT = frozenset({".txt", ".md", ".csv"})
_SUPPORTED = frozenset(_BY_MIME.values()) | {".htm"}


class _Refused(Exception):
    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class DocumentProcessorExecutor:
    """Turns documents into Markdown."""

    executor_type = "document_processor"

    async def run(self, request: ExecutorRequest) -> ExecutorResult:
        """Convert; see the contract."""
        try:
            suffix = _suffix(request.task.field("filename"), request.task.field("mime_type"))
            raw = _content(request.task.field("content_base64"), request.task.field("text"))
            if suffix in _TEXT:
                result = await asyncio.to_thread(_read_text, raw, suffix)
            else:
                result = await _convert(raw, suffix)
        except _Refused as refused:
            return ExecutorResult.failure(refused.code, str(refused))
        return ExecutorResult(status="success", result=result)


def _suffix(filename: Any, mime_type: Any) -> str:
    suffix = _BY_MIME.get(str(mime_type).partition(";")[0].strip().lower(), "")
    if not suffix and isinstance(filename, str):
        suffix = PurePath(filename).suffix.lower()
    if suffix not in _SUPPORTED:
        raise _Refused(
            ErrorCode.DOCUMENT_UNSUPPORTED,
            f"{suffix or 'this type'!r} is not read; known: {', '.join(sorted(_SUPPORTED))}",
        )
    return suffix


def _content(content_base64: Any, text: Any) -> bytes:
    if isinstance(text, str) and content_base64 is None:
        raw = text.encode("utf-8", "surrogatepass")
    elif isinstance(content_base64, str):
        if len(content_base64) > _LARGEST_BYTES * 4 // 3 + 4:
            raise _Refused(ErrorCode.DOCUMENT_TOO_LARGE, f"A document has at most {_LARGEST_BYTES:,} bytes")
        try:
            raw = base64.b64decode(content_base64, validate=True)
        except (binascii.Error, ValueError) as error:
            raise _Refused(ErrorCode.INVALID_INPUT, "`content_base64` is not base64") from error
    else:
        raise _Refused(ErrorCode.INVALID_INPUT, "Give `content_base64` or `text`")
    if len(raw) > _LARGEST_BYTES:
        raise _Refused(ErrorCode.DOCUMENT_TOO_LARGE, f"A document has at most {_LARGEST_BYTES:,} bytes")
    return raw


def _read_text(raw: bytes, suffix: str) -> dict[str, Any]:
    decoded = decode_text(raw)
    if decoded is None:
        raise _Refused(ErrorCode.DOCUMENT_ERROR, "The text's encoding cannot be told")
    text, encoding = decoded
    content = _csv_table(text) if suffix == ".csv" else text
    return {"content": _capped(content), "format": "markdown", "encoding": encoding}


def _csv_table(text: str) -> str:
    rows = list(csv.reader(io.StringIO(text)))
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    lines = []
    for index, row in enumerate(rows):
        cells = [cell.replace("|", "\\|").replace("\n", " ") for cell in row] + [""] * (width - len(row))
        lines.append(f"| {' | '.join(cells)} |")
        if index == 0:
            lines.append(f"|{' --- |' * width}")
    return "\n".join(lines)


def _capped(content: str) -> str:
    if len(content) > _LARGEST_RESULT:
        raise _Refused(
            ErrorCode.DOCUMENT_TOO_LARGE, f"The text is longer than {_LARGEST_RESULT:,} characters"
        )
    return content


async def _convert(raw: bytes, suffix: str) -> dict[str, Any]:
    if suffix in (".docx", ".xlsx"):
        _check_archive(raw)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-m", "tercet.executors.document_worker", suffix,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        output, _ = await asyncio.wait_for(process.communicate(raw), timeout=_SECONDS)
    except TimeoutError as error:
        raise _Refused(
            ErrorCode.DOCUMENT_ERROR, f"Reading the document took longer than {_SECONDS:g} s"
        ) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise _Refused(ErrorCode.DOCUMENT_ERROR, f"The document cannot be read as {suffix[1:].upper()}")
    result: dict[str, Any] = from_json(output)
    result["content"] = _capped(result["content"])
    return result


def _check_archive(raw: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile as error:
        raise _Refused(ErrorCode.DOCUMENT_ERROR, "The document is damaged: not an Office file") from error
    if unpacked > _LARGEST_UNPACKED:
        raise _Refused(
            ErrorCode.DOCUMENT_TOO_LARGE, f"The document unpacks to more than {_LARGEST_UNPACKED:,} bytes"
        )
