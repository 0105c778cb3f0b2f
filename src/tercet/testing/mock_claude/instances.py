"""Values that satisfy a JSON Schema, drawn from a seed and from the words of the prompt."""

from __future__ import annotations

import random
import re
from typing import Any

from tercet.domain.schema_check import schema_violation

_WORD = re.compile(r"[A-Za-zÀ-ÿ][\w'’-]{3,}")
_DATA_BLOCK = re.compile(r"<data [^>]{0,200}>(.*?)</data>", re.DOTALL)
_JSON_TEXT = re.compile(r':"([^"]{1,500})"')
_LIMIT = re.compile(r"\b(maxLength|minLength|minimum|maximum|minItems|maxItems)\W{1,3}(-?\d+)")
_LONGEST_DEPTH = 8
_FORMATS = {
    "email": "ada@example.org", "date": "2026-11-20", "date-time": "2026-11-20T10:00:00Z", "time": "10:00:00Z",
    "uri": "https://example.org/", "uuid": "6f2c1c1e-7c3e-4f0b-9a57-0d3b2f6f8a11", "ipv4": "192.0.2.1", "hostname": "example.org",
}  # fmt: skip


class NoInstance(Exception):
    """The schema asks for something that the mock cannot make."""


Known = dict[str, tuple[Any, ...]]
"""Values that are known for fields of a name, best first."""


def make_instance(schema: dict[str, Any], *, prompt: str, seed: int, known: Known | None = None) -> Any:
    """Return a valid instance: the same for the same schema, prompt and seed. Raises NoInstance."""
    for attempt in range(8):
        maker = _Maker(schema, prompt, random.Random(seed * 31 + attempt), known or {})  # noqa: S311 not for secrets
        value = maker.make(schema, "answer", 0)
        if schema_violation(schema, value) is None:
            return value
    raise NoInstance(f"no valid instance found: {schema_violation(schema, value)}")


class _Maker:
    def __init__(self, root: dict[str, Any], prompt: str, rng: random.Random, known: Known) -> None:
        self._known = known
        self._root = root
        self._rng = rng
        self._words = _words_of(prompt)
        self._prompt = prompt

    def make(self, schema: Any, name: str, depth: int) -> Any:
        if not isinstance(schema, dict) or depth > _LONGEST_DEPTH:
            return None
        if "$ref" in schema:
            return self.make(self._resolve(schema["$ref"]), name, depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._rng.choice(schema["enum"])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                options = [o for o in schema[key] if o.get("type") != "null"] or schema[key]
                return self.make(self._rng.choice(options), name, depth + 1)
        if "allOf" in schema:
            merged: dict[str, Any] = {}
            for part in schema["allOf"]:
                merged = _merge(merged, self._resolve(part["$ref"]) if "$ref" in part else part)
            return self.make(
                _merge({k: v for k, v in schema.items() if k != "allOf"}, merged), name, depth + 1
            )
        return self._by_type(schema, name, depth)

    def _by_type(self, schema: dict[str, Any], name: str, depth: int) -> Any:
        for value in self._known.get(name, ()):
            if schema_violation(schema, value) is None:
                return value
        schema = {**_limits_in_words(schema), **schema}
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((k for k in kind if k != "null"), "null")
        if kind == "object" or (kind is None and "properties" in schema):
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, name, depth)
        if kind == "boolean":
            return True if name == "success" else self._rng.random() < 0.7
        if kind in ("integer", "number"):
            return self._number(schema, whole=kind == "integer")
        if kind == "null":
            return None
        return self._text(schema, name)

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", [])
        value = {}
        for key, sub in schema.get("properties", {}).items():
            if key == "error" and key not in required:
                continue
            if key in required or depth < 3:
                value[key] = self._echo(key, sub, depth)
        return value

    def _echo(self, key: str, schema: Any, depth: int) -> Any:
        """Identifiers of the input come back as they are, as a careful model would do it."""
        if isinstance(schema, dict) and schema.get("type") == "string" and "enum" not in schema:
            found = re.search(
                rf"[\"']?\b{re.escape(key)}[\"']?\s*[:=]\s*[\"']?([^\"',\n}}<]{{1,200}})", self._prompt
            )
            if found and key.endswith(("_id", "email", "name")):
                return found.group(1).strip()
        return self.make(schema, key, depth + 1)

    def _array(self, schema: dict[str, Any], name: str, depth: int) -> list[Any]:
        least, most = schema.get("minItems", 1), schema.get("maxItems", 3)
        count = self._rng.randint(least, max(least, min(most, least + 2)))
        items: list[Any] = []
        for _ in range(count * 4):
            if len(items) == count:
                break
            item = self.make(schema.get("items", {"type": "string"}), name, depth + 1)
            if not (schema.get("uniqueItems") and item in items):
                items.append(item)
        return items

    def _number(self, schema: dict[str, Any], *, whole: bool) -> Any:
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + (100 if whole else 1)))
        step = schema.get("multipleOf")
        if step:
            return type(step)(step * self._rng.randint(-(-low // step), high // step))
        if whole:
            first = low + 1 if "exclusiveMinimum" in schema else low
            last = high - 1 if "exclusiveMaximum" in schema else high
            return self._rng.randint(int(first), int(last))
        return round(low + (high - low) * (0.02 + 0.96 * self._rng.random()), 3)

    def _text(self, schema: dict[str, Any], name: str) -> str:
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        text = self._sentence(schema, name)
        pattern = schema.get("pattern")
        if pattern is not None and re.search(pattern, text) is None:
            return _from_pattern(pattern, self._rng)
        return text

    def _sentence(self, schema: dict[str, Any], name: str) -> str:
        count = 40 if name in ("body", "content", "text", "email_body") else 12 if "reason" in name else 6
        text = " ".join(self._rng.choice(self._words) for _ in range(count)).capitalize()
        text = text.ljust(schema.get("minLength", 0), ".")
        return text[: schema.get("maxLength", len(text))]

    def _resolve(self, ref: str) -> Any:
        node: Any = self._root
        for part in ref.removeprefix("#").strip("/").split("/"):
            node = (
                node.get(part.replace("~1", "/").replace("~0", "~"), {})
                if part and isinstance(node, dict)
                else node
            )
        return node


def _words_of(prompt: str) -> list[str]:
    """Return words to make texts of: those of the values in data blocks, else all of the prompt."""
    blocks = " ".join(_DATA_BLOCK.findall(prompt))
    values = " ".join(_JSON_TEXT.findall(blocks)) or blocks or prompt
    return _WORD.findall(re.sub(r"<[^>]{0,200}>", " ", values))[-400:] or ["result"]


def _limits_in_words(schema: dict[str, Any]) -> dict[str, int]:
    """Clients move limits that the API does not take into the description; a careful model reads them there."""
    text = schema.get("description")
    return {key: int(value) for key, value in _LIMIT.findall(text)} if isinstance(text, str) else {}


def _merge(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    merged = {**one, **two}
    if "properties" in one and "properties" in two:
        merged["properties"] = {**one["properties"], **two["properties"]}
    if "required" in one and "required" in two:
        merged["required"] = [*one["required"], *two["required"]]
    return merged


def _from_pattern(pattern: str, rng: random.Random) -> str:
    """Make a text for simple patterns: literals, classes and counts."""
    import re._parser as sre  # type: ignore[import-not-found]

    def one(op: Any, argument: Any) -> str:
        kind = str(op)
        if kind == "LITERAL":
            return chr(argument)
        if kind == "IN":
            return one(*rng.choice([part for part in argument if str(part[0]) != "NEGATE"]))
        if kind == "RANGE":
            return chr(rng.randint(*argument))
        if kind == "CATEGORY":
            return {"CATEGORY_DIGIT": str(rng.randint(0, 9)), "CATEGORY_SPACE": " "}.get(str(argument), "a")
        if kind in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = argument
            return "".join(every(inner) for _ in range(rng.randint(least, min(int(most), least + 3))))
        if kind == "SUBPATTERN":
            return every(argument[3])
        if kind == "BRANCH":
            return every(rng.choice(argument[1]))
        if kind == "ANY":
            return "a"
        return ""

    def every(parsed: Any) -> str:
        return "".join(one(op, argument) for op, argument in parsed)

    return every(sre.parse(pattern))
