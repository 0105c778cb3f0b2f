"""Full-text search over the passages of a project's documents: FTS5 on SQLite, tsvector on PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from tercet.store.reader import Record, records

_SHORTEST_BEGINNING = 4
_COLUMNS = "p.document_id, p.number, p.title, p.place, p.text"
_SQLITE = f"""
SELECT {_COLUMNS}, -bm25(document_index, 2.0, 1.0) AS score,
       snippet(document_index, 1, '[', ']', '…', 40) AS snippet
FROM document_index JOIN document_passages p ON p.id = document_index.rowid
WHERE document_index MATCH :query AND p.project_id = :project_id
ORDER BY bm25(document_index, 2.0, 1.0), p.id LIMIT :limit
"""  # noqa: S608 - the columns are this module's own
_POSTGRESQL = f"""
SELECT {_COLUMNS}, ts_rank(p.search, q) AS score,
       ts_headline('simple', p.text, q, 'StartSel=[, StopSel=], MaxWords=40, MinWords=15') AS snippet
FROM document_passages p, to_tsquery('simple', :query) q
WHERE p.search @@ q AND p.project_id = :project_id
ORDER BY ts_rank(p.search, q) DESC, p.id LIMIT :limit
"""  # noqa: S608 - the columns are this module's own


def search_passages(
    connection: sa.Connection, *, project_id: str, words: Sequence[str], limit: int
) -> list[Record]:
    """Return {document_id, number, title, place, text, snippet, score}, best first. Any of the words may fit.

    `words` are plain words: letters, digits and underscores only. A word of 4 characters or more is found as
    the beginning of a longer one, too.
    """
    if not words:
        return []
    sqlite = connection.dialect.name == "sqlite"
    query = (" OR " if sqlite else " | ").join(_term(word, sqlite=sqlite) for word in words)
    text = sa.text(_SQLITE if sqlite else _POSTGRESQL)
    return records(connection.execute(text, {"query": query, "project_id": project_id, "limit": limit}))


def _term(word: str, *, sqlite: bool) -> str:
    begins = len(word) >= _SHORTEST_BEGINNING
    if sqlite:
        return f'"{word}"*' if begins else f'"{word}"'
    return f"'{word}':*" if begins else f"'{word}'"
