"""Reads a manifest and what its agents' folders hold; everything wrong becomes a problem with a place."""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.tokens import AliasToken

from tercet.domain.errors import InvalidManifest
from tercet.manifest.folders import read_agent_files
from tercet.manifest.handlers import Trigger
from tercet.manifest.places import Places
from tercet.manifest.problems import Finding, Path, Problem
from tercet.manifest.schema import Cron, FanIn, Manifest, Webhook

_LARGEST_BYTES = 1_000_000
_MOST_ALIASES = 50
_TRIGGERS: dict[str, type[BaseModel]] = {
    "simple": Trigger, "routing": Trigger, "fan-in": FanIn, "cron": Cron, "webhook": Webhook,
    "inngest-first-webhook": Webhook,
}  # fmt: skip
_RULES = {
    "extra_forbidden": "unknown-key",
    "missing": "missing-key",
    "string_pattern_mismatch": "bad-name",
    "literal_error": "bad-value",
    "value_error": "bad-value",
    "too_short": "empty-list",
    "too_long": "too-long",
    "string_too_long": "too-long",
}


@dataclass(kw_only=True)
class LoadedManifest:
    """A manifest as read: `manifest` is None when its shape is wrong."""

    text: str
    places: Places
    manifest: Manifest | None = None
    problems: list[Problem] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    """What agents' folders contribute, by path below the manifest's folder."""
    folder: FilePath | None = None

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]

    @property
    def warnings(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "warning"]

    @property
    def digest(self) -> str:
        """SHA-256 over the text and the files: what makes a revision a new one."""
        whole = hashlib.sha256(self.text.encode())
        for name in sorted(self.files):
            whole.update(b"\0" + name.encode() + b"\0" + self.files[name].encode())
        return whole.hexdigest()

    def add(self, findings: list[Finding]) -> None:
        """Give the findings their places, and keep the list in reading order."""
        for finding in findings:
            line, column = self.places.find(finding.path)
            self.problems.append(
                Problem(
                    severity=finding.severity, rule=finding.rule, message=finding.message, hint=finding.hint,
                    file=self.places.file, line=line, column=column,
                )
            )  # fmt: skip
        self.problems.sort(key=lambda p: (p.line, p.column, p.severity, p.rule, p.message))

    def raise_for_errors(self) -> Manifest:
        """Return the manifest. Raises InvalidManifest with all problems when there is an error."""
        errors = self.errors
        if errors or self.manifest is None:
            raise InvalidManifest(
                f"the manifest has {len(errors)} error{'s' if len(errors) != 1 else ''}; the first: {errors[0]}",
                detail=[problem.to_wire() for problem in self.problems],
            )
        return self.manifest


def load_path(path: FilePath) -> LoadedManifest:
    """Read a manifest file, or `manifest.yaml` in a folder."""
    if path.is_dir():
        path = path / "manifest.yaml"
    try:
        raw = path.read_bytes()
    except OSError as error:
        return _failed(
            "", str(path), "unreadable-file", f"cannot read the file: {error.strerror}", "check the path"
        )
    return load_bytes(raw, source=str(path), folder=path.parent)


def load_bytes(raw: bytes, *, source: str, folder: FilePath | None = None) -> LoadedManifest:
    """Read a manifest from bytes. `folder` is where agents' folders are; None when it came over the network."""
    if len(raw) > _LARGEST_BYTES:
        return _failed(
            "",
            source,
            "too-large",
            f"the manifest has {len(raw):,} bytes",
            f"at most {_LARGEST_BYTES:,} are read",
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _failed("", source, "not-utf8", f"byte {error.start} is not UTF-8", "save the file as UTF-8")
    return load_text(text, source=source, folder=folder)


def load_text(text: str, *, source: str, folder: FilePath | None = None) -> LoadedManifest:
    """Read a manifest from text; never raises for bad content."""
    try:
        root = parse_yaml(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        rule = "duplicate-key" if isinstance(error, DuplicateKeyError) else "bad-yaml"
        message = (error.problem or error.context or "not YAML").strip().splitlines()[0]
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        return _failed(text, source, rule, message, "see the YAML at this place", line, column)
    except (YAMLError, ValueError, RecursionError) as error:
        message = str(error).strip().splitlines()[0][:200] or "not YAML"
        return _failed(text, source, "bad-yaml", message, "see the YAML")
    if not isinstance(root, dict):
        found = "nothing" if root is None else type(root).__name__
        return _failed(
            text, source, "wrong-type", f"a manifest is a mapping, this is {found}", "begin with `name:`"
        )
    loaded = LoadedManifest(text=text, places=Places(root, source), folder=folder)
    try:
        document, findings = _choose_triggers(_plain(root))
    except RecursionError as error:
        return _failed(text, source, "bad-yaml", str(error), "flatten the document")
    try:
        loaded.manifest = Manifest.model_validate(document)
    except ValidationError as error:
        findings += [_finding(item) for item in error.errors()]
    if findings or loaded.manifest is None:
        loaded.manifest = None
        loaded.add(_without_twins(findings))
        return loaded
    if folder is not None:
        loaded.files, findings = read_agent_files(loaded.manifest, folder)
    loaded.add(findings)
    return loaded


def parse_yaml(text: str) -> Any:
    """Parse with places and comments kept. Raises YAMLError or ValueError."""
    yaml = YAML(typ="rt")
    yaml.allow_duplicate_keys = False
    aliases = sum(1 for token in YAML(typ="rt").scan(text) if isinstance(token, AliasToken))
    if aliases > _MOST_ALIASES:
        raise ValueError(f"the document has {aliases} aliases, more than {_MOST_ALIASES}")
    return yaml.load(text)


def _plain(node: Any, depth: int = 0) -> Any:
    if depth > 40:
        raise RecursionError("the document is nested deeper than 40 levels")
    if isinstance(node, dict):
        return {
            key if isinstance(key, str) else str(key): _plain(value, depth + 1) for key, value in node.items()
        }
    if isinstance(node, list):
        return [_plain(item, depth + 1) for item in node]
    if isinstance(node, bool) or node is None:
        return node
    for kind in (int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return node


def _choose_triggers(document: dict[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """Read each function's trigger in the shape of its pattern: one good error instead of one a shape."""
    functions = document.get("functions")
    findings: list[Finding] = []
    if not isinstance(functions, list):
        return document, findings
    for index, function in enumerate(functions):
        if not isinstance(function, dict) or not isinstance(function.get("trigger"), dict):
            continue
        shape = _TRIGGERS.get(str(function.get("pattern", "simple")))
        if shape is None:
            continue
        try:
            function["trigger"] = shape.model_validate(function["trigger"])
        except ValidationError as error:
            function["trigger"] = Trigger(event="x")
            for item in error.errors():
                findings.append(_finding({**item, "loc": ("functions", index, "trigger", *item["loc"])}))
    return document, findings


def _without_twins(findings: list[Finding]) -> list[Finding]:
    """One finding a place and rule: the arms of a union report the same misfit each."""
    kept: dict[tuple[str, Path], Finding] = {}
    for finding in findings:
        kept.setdefault((finding.rule, finding.path), finding)
    return list(kept.values())


def _finding(item: Any) -> Finding:
    path: Path = tuple(part for part in item["loc"] if not _is_union_tag(part))
    kind = item["type"]
    rule = _RULES.get(kind, "wrong-type")
    key = path[-1] if path else ""
    message = f"{'.'.join(map(str, path))}: {item['msg']}"
    hint = ""
    if kind == "extra_forbidden":
        message = f"unknown key {key!r}"
        close = difflib.get_close_matches(str(key), _KNOWN_KEYS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "remove it, or see `tercet manifest schema`"
    elif kind == "missing":
        message = f"the key {key!r} is missing"
        hint = "see `tercet manifest schema`"
    elif kind == "string_pattern_mismatch":
        message = f"{str(item.get('input'))[:80]!r} does not have the form of a {key}"
        hint = f"pattern: {item['ctx']['pattern']}"
    elif kind == "value_error":
        message = f"{key}: {item['ctx']['error']}" if "ctx" in item else message
        if "duration" in message:
            rule = "bad-duration"
    return Finding(rule=rule, message=message, hint=hint, path=path)


def _is_union_tag(part: str | int) -> bool:
    return isinstance(part, str) and (
        part in _UNION_TAGS or part.startswith(("function-", "list[", "constrained-"))
    )


_UNION_TAGS = frozenset({"Trigger", "FanIn", "Cron", "Webhook", "str", "int", "bool"})


def _all_keys(model: type[BaseModel], seen: set[type]) -> set[str]:
    if model in seen:
        return set()
    seen.add(model)
    keys: set[str] = set()
    for name, info in model.model_fields.items():
        keys.add(info.alias or name)
    for sub in model.__subclasses__():
        keys |= _all_keys(sub, seen)
    return keys


def _known_keys() -> list[str]:
    from tercet.manifest.handlers import Block

    return sorted(_all_keys(Block, set()) - {""})


_KNOWN_KEYS = _known_keys()


def _failed(
    text: str, source: str, rule: str, message: str, hint: str, line: int = 1, column: int = 1
) -> LoadedManifest:
    problem = Problem(
        severity="error", rule=rule, message=message, hint=hint, file=source, line=line, column=column
    )
    return LoadedManifest(text=text, places=Places(None, source), problems=[problem])
