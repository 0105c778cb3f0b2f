"""Event data from files: .json, .jsonl, .csv, with the dirt that real files have."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tercet.domain.codec import from_json
from tercet.domain.errors import InvalidInput
from tercet.domain.text import decode_text


@dataclass(kw_only=True)
class DataFile:
    """The rows of a file, one event's data each, and what was odd about it."""

    rows: list[dict[str, Any]]
    encoding: str = "utf-8"
    remarks: list[str] = field(default_factory=list)


def read_argument(text: str) -> list[dict[str, Any]]:
    """Return rows from a command line value: JSON text, or the path of a file."""
    if text.lstrip().startswith(("{", "[")):
        return _json_rows(text, "--data")
    return read_data_file(Path(text)).rows


def read_data_file(path: Path) -> DataFile:
    """Read a file. Raises InvalidInput with file, line and rule."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}", hint="check the path") from error
    decoded = decode_text(raw)
    if decoded is None:
        raise InvalidInput(f"{path}: the encoding cannot be told", hint="save it as UTF-8")
    text, encoding = decoded
    suffix = path.suffix.lower()
    if suffix == ".csv":
        data = _read_csv(text, str(path))
    elif suffix == ".jsonl":
        data = DataFile(rows=_jsonl_rows(text, str(path)))
    elif suffix == ".json":
        data = DataFile(rows=_json_rows(text, str(path)))
    else:
        raise InvalidInput(f"{path}: {suffix or 'no suffix'} is not read", hint="use .json, .jsonl or .csv")
    data.encoding = encoding
    if encoding != "utf-8":
        data.remarks.insert(0, f"read as {encoding}, not UTF-8")
    if not data.rows:
        raise InvalidInput(f"{path} has no rows", hint="an event needs data, at least {}")
    return data


def _json_rows(text: str, source: str) -> list[dict[str, Any]]:
    try:
        value = from_json(text)
    except ValueError as error:
        raise InvalidInput(f"{source} is not JSON: {error}") from error
    rows = value if isinstance(value, list) else [value]
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise InvalidInput(f"{source}: entry {index} is no object", hint="an event's data is an object")
    return rows


def _jsonl_rows(text: str, source: str) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = from_json(line)
        except ValueError as error:
            raise InvalidInput(f"{source}:{number} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise InvalidInput(f"{source}:{number} is no object", hint="one JSON object a line")
        rows.append(row)
    return rows


def _read_csv(text: str, source: str) -> DataFile:
    reader = csv.reader(io.StringIO(text))
    try:
        header = [name.strip() for name in next(reader)]
    except StopIteration:
        raise InvalidInput(f"{source} is empty", hint="the first line names the columns") from None
    doubled = {name for name in header if header.count(name) > 1}
    if doubled or "" in header:
        raise InvalidInput(
            f"{source}:1 has a column without a name, or twice the same: {sorted(doubled) or 'empty'}"
        )
    data = DataFile(rows=[])
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            data.remarks.append(f"line {reader.line_num} has {len(cells)} cells, not {len(header)}")
        row: dict[str, Any] = {name: cell.strip() for name, cell in zip(header, cells, strict=False)}
        row.update({name: "" for name in header if name not in row})
        if len(cells) > len(header):
            row["extra_cells"] = cells[len(header) :]
        data.rows.append(row)
    return data
