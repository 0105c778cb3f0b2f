"""Splits a document's Markdown into passages: what search finds and what an executor is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MOST_CHARACTERS = 1_200
_LONGEST_PLACE = 200
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A part of a document. `place` says where: page, headings above it, or which part it is."""

    number: int
    place: str
    text: str


def split_passages(text: str) -> list[Passage]:
    """Return the passages in order; together they hold the whole text but for blank space between them."""
    passages: list[Passage] = []
    # A form feed ends a page of a PDF.
    pages = text.split("\f")
    for page, content in enumerate(pages, start=1):
        for headings, block in _sections(content):
            where = [f"page {page}", *headings] if len(pages) > 1 else headings
            for piece in _pieces(block):
                number = len(passages) + 1
                place = " › ".join(where)[:_LONGEST_PLACE] or f"part {number}"
                passages.append(Passage(number=number, place=place, text=piece))
    return passages


def _sections(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield (headings, text) for what lies under each heading, the heading's line included."""
    headings: list[tuple[int, str]] = []
    lines: list[str] = []
    for line in text.splitlines():
        match = _HEADING.match(line)
        if match is not None:
            yield [title for _, title in headings], "\n".join(lines)
            lines = []
            level = len(match[1])
            headings = [(depth, title) for depth, title in headings if depth < level]
            headings.append((level, match[2]))
        lines.append(line)
    yield [title for _, title in headings], "\n".join(lines)


def _pieces(block: str) -> Iterator[str]:
    """Yield pieces of at most _MOST_CHARACTERS, cut between paragraphs, else lines, else words."""
    rest = block.strip()
    while len(rest) > _MOST_CHARACTERS:
        cut = _cut(rest)
        piece = rest[:cut].strip()
        if piece:
            yield piece
        rest = rest[cut:].lstrip()
    if rest:
        yield rest


def _cut(text: str) -> int:
    for mark in ("\n\n", "\n", ". ", " "):
        cut = text.rfind(mark, _MOST_CHARACTERS // 2, _MOST_CHARACTERS)
        if cut > 0:
            return cut + len(mark)
    return _MOST_CHARACTERS
