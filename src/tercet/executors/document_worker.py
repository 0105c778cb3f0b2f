"""The process that reads one binary document: stdin bytes in, JSON out. Its memory is capped before it reads."""

from __future__ import annotations

import io
import resource
import sys

from tercet.domain.codec import to_json

_MEMORY_BYTES = 3_000_000_000
_CPU_SECONDS = 90


def main() -> None:
    """Convert standard input, whose file suffix is the first argument."""
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    from markitdown import StreamInfo, converters

    suffix = sys.argv[1]
    converter_type = {
        ".pdf": converters.PdfConverter,
        ".docx": converters.DocxConverter,
        ".xlsx": converters.XlsxConverter,
        ".html": converters.HtmlConverter,
        ".htm": converters.HtmlConverter,
    }[suffix]
    raw = sys.stdin.buffer.read()
    converted = converter_type().convert(io.BytesIO(raw), StreamInfo(extension=suffix))
    result = {"content": converted.markdown, "format": "markdown"}
    if converted.title:
        result["title"] = converted.title
    sys.stdout.write(to_json(result))


if __name__ == "__main__":
    main()
