"""From a path in the document to the line and column where it stands."""

from __future__ import annotations

from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from tercet.manifest.problems import Path


class Places:
    """Knows where every key and item of a parsed document stands."""

    def __init__(self, root: Any, file: str) -> None:
        self._root = root
        self.file = file

    def find(self, path: Path) -> tuple[int, int]:
        """Return (line, column), from 1, of the deepest part of `path` that exists."""
        node, place = self._root, (1, 1)
        if isinstance(node, (CommentedMap, CommentedSeq)):
            place = (node.lc.line + 1, node.lc.col + 1)
        for part in path:
            if isinstance(node, CommentedMap) and part in node:
                line, column = node.lc.key(part)
            elif isinstance(node, CommentedSeq) and isinstance(part, int) and 0 <= part < len(node):
                line, column = node.lc.item(part)
            else:
                break
            place = (line + 1, column + 1)
            node = node[part]
        return place
