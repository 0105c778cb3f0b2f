"""Every relative link in the Markdown files leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.M | re.S)
_LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.M)
_OUTSIDE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.I)


def anchors(markdown: str) -> set[str]:
    """The anchors of the headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in _HEADING.findall(re.sub(r"^(```|~~~).*?^\1", "", markdown, flags=re.M | re.S)):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        slug = words.replace(" ", "-")
        twins = sum(
            1 for anchor in found if anchor == slug or re.fullmatch(re.escape(slug) + r"-\d+", anchor)
        )
        found.add(f"{slug}-{twins}" if twins else slug)
    return found


def broken_links(page: Path) -> list[str]:
    """The relative links of a page whose file or heading does not exist."""
    text = page.read_text("utf-8")
    broken = []
    for target in _LINK.findall(_CODE.sub("", text)):
        if _OUTSIDE.match(target):
            continue
        name, _, anchor = unquote(target).partition("#")
        file = (page.parent / name) if name else page
        known = file.exists() and (
            not anchor or file.suffix != ".md" or anchor in anchors(file.read_text("utf-8"))
        )
        if not known:
            broken.append(target)
    return broken


def test_relative_links_resolve(root: Path, project_files: list[Path]):
    pages = [path for path in project_files if path.suffix == ".md"]

    assert pages
    assert {
        page.relative_to(root).as_posix(): broken for page in pages if (broken := broken_links(page))
    } == {}  # fmt: skip


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a](other.md)", []),
        ("[a](other.md#one-verb-a-concept)", []),
        ("[a](#here)", []),
        ("[a](https://example.org/x)", []),
        ("`[a](missing.md)`", []),
        ("[a](missing.md)", ["missing.md"]),
        ("[a](other.md#missing)", ["other.md#missing"]),
    ],
)
def test_broken_links_reports_what_does_not_exist(tmp_path: Path, link: str, expected: list[str]):
    (tmp_path / "other.md").write_text("# Other\n\n## One verb, a concept\n")
    page = tmp_path / "page.md"
    page.write_text(f"# Here\n\n{link}\n")

    assert broken_links(page) == expected
