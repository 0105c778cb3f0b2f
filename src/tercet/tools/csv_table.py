"""The `csv` tool: tables as CSV files of the workspace."""

from __future__ import annotations

import csv
import io
from typing import Any

from tercet.domain.tool import ToolFailed
from tercet.tools.base import ToolBase
from tercet.tools.files import text_of
from tercet.tools.workspace import Workspace

_MOST_ROWS = 50_000
_SHOWN_ROWS = 1_000
_CELL = {"type": ["string", "number", "boolean", "null"]}
_ROW = {"type": "object", "additionalProperties": _CELL, "minProperties": 1, "maxProperties": 200}
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

_INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {"type": "string", "enum": ["read", "write", "append", "update"]},
        "file_path": {"type": "string", "minLength": 1, "maxLength": 1_000},
        "rows": {"type": "array", "items": _ROW, "maxItems": _MOST_ROWS, "description": "for write and append"},
        "where": {"type": "object", "additionalProperties": _CELL, "description": "read, update: columns and their values"},
        "set": {"type": "object", "additionalProperties": _CELL, "description": "update: new values"},
        "columns": {
            "type": "array", "items": {"type": "string"}, "maxItems": 200, "description": "read: which; write: their order",
        },
        "offset": {"type": "integer", "minimum": 0},
        "limit": {"type": "integer", "minimum": 1, "maximum": _SHOWN_ROWS},
    },
    "required": ["operation", "file_path"],
    "additionalProperties": False,
}  # fmt: skip


class CsvTool(ToolBase):
    """Reads, writes, extends and updates a table. Cells that a spreadsheet would run as formulas are quoted."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            name="csv",
            description="Reads and writes CSV tables in the workspace: read, write, append, update.",
            input_schema=_INPUT_SCHEMA,
            prose_fields=frozenset({"rows", "set", "where"}),
        )
        self._workspace = workspace

    def changes_world(self, arguments: dict[str, Any]) -> bool:
        """Only reading changes nothing."""
        return arguments.get("operation") != "read"

    def _execute_impl(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return {columns, rows, total} for read, {file_path, rows, changed} for the others."""
        path, operation = arguments["file_path"], arguments["operation"]
        if operation == "write":
            rows = _needed(arguments, "rows")
            columns = arguments.get("columns") or _columns_of(rows)
            return self._store(path, columns, rows, changed=len(rows))
        if operation == "append" and not self._workspace.exists(path):
            rows = _needed(arguments, "rows")
            return self._store(path, _columns_of(rows), rows, changed=len(rows))
        columns, rows = parse_table(text_of(self._workspace.read(path), path))
        if operation == "read":
            return _read(columns, rows, arguments)
        if operation == "append":
            added = _needed(arguments, "rows")
            columns = [*columns, *(name for name in _columns_of(added) if name not in columns)]
            return self._store(path, columns, [*rows, *added], changed=len(added))
        values, where = _needed(arguments, "set"), arguments.get("where", {})
        changed = [row for row in rows if _fits(row, where)]
        for row in changed:
            row.update(values)
        columns = [*columns, *(name for name in values if name not in columns)]
        return self._store(path, columns, rows, changed=len(changed))

    def _store(
        self, path: str, columns: list[str], rows: list[dict[str, Any]], *, changed: int
    ) -> dict[str, Any]:
        if len(rows) > _MOST_ROWS:
            raise ToolFailed(f"the table would have more than {_MOST_ROWS} rows")
        self._workspace.write(path, format_table(columns, rows).encode("utf-8", "surrogatepass"))
        return {"file_path": path, "rows": len(rows), "changed": changed}


def parse_table(text: str) -> tuple[list[str], list[dict[str, Any]]]:
    """Return columns and rows. Raises ToolFailed for what is no table."""
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:4_000], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    try:
        reader = csv.DictReader(io.StringIO(text), dialect=dialect)
        columns = list(reader.fieldnames or [])
        rows = [{name: row.get(name) or "" for name in columns} for row in reader]
    except csv.Error as error:
        raise ToolFailed(f"the file is no table: {error}") from error
    if not columns or len(set(columns)) != len(columns):
        raise ToolFailed("the file has no header, or one with equal names")
    if len(rows) > _MOST_ROWS:
        raise ToolFailed(f"the table has more than {_MOST_ROWS} rows")
    return columns, rows


def format_table(columns: list[str], rows: list[dict[str, Any]]) -> str:
    """Return the table as CSV (RFC 4180)."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=columns, restval="", extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _cell(row.get(name)) for name in columns} for row in rows)
    return out.getvalue()


def _read(columns: list[str], rows: list[dict[str, Any]], arguments: dict[str, Any]) -> dict[str, Any]:
    wanted = arguments.get("columns") or columns
    unknown = [name for name in wanted if name not in columns]
    if unknown:
        raise ToolFailed(f"there is no column {unknown[0]!r}; there are: {', '.join(columns)[:500]}")
    found = [row for row in rows if _fits(row, arguments.get("where", {}))]
    start = arguments.get("offset", 0)
    shown = found[start : start + arguments.get("limit", _SHOWN_ROWS)]
    return {
        "columns": wanted,
        "rows": [{name: row[name] for name in wanted} for row in shown],
        "total": len(found),
    }


def _fits(row: dict[str, Any], where: dict[str, Any]) -> bool:
    return all(str(row.get(name, "")) == _cell(value) for name, value in where.items())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    is_number = not isinstance(value, str) or _is_number(text)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) and not is_number else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _columns_of(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _needed(arguments: dict[str, Any], name: str) -> Any:
    value = arguments.get(name)
    if not value:
        raise ToolFailed(f"{arguments['operation']} needs {name!r}")
    return value
