"""What an agent's folder contributes to a manifest: CLAUDE.md and schema files."""

from __future__ import annotations

from pathlib import Path

from tercet.manifest.problems import Finding
from tercet.manifest.schema import Agent, Manifest

_LARGEST_BYTES = 200_000


def agent_folder(agent: Agent) -> str:
    """Return the agent's folder, relative to the manifest."""
    return agent.folder or f"agents/{agent.name}"


def instructions_file(agent: Agent) -> str:
    """Return the path of the agent's CLAUDE.md, relative to the manifest."""
    return f"{agent_folder(agent)}/CLAUDE.md"


def schema_file(agent: Agent) -> str | None:
    """Return the path of the agent's schema file, or None when the schema stands in the manifest."""
    schema = agent.contract.output_schema
    return f"{agent_folder(agent)}/{schema}" if isinstance(schema, str) else None


def read_agent_files(manifest: Manifest, folder: Path) -> tuple[dict[str, str], list[Finding]]:
    """Read the files; a path that leaves the manifest's folder, by name or by link, is a finding."""
    files: dict[str, str] = {}
    findings: list[Finding] = []
    for index, agent in enumerate(manifest.agents):
        wanted: list[tuple[str, tuple[str | int, ...], bool]] = [
            (instructions_file(agent), ("agents", index, "folder"), agent.instructions is None)
        ]
        if (schema := schema_file(agent)) is not None:
            wanted.append((schema, ("agents", index, "contract", "output_schema"), True))
        for name, path, required in wanted:
            problem = _read(folder, name, files, required=required)
            if problem is not None:
                findings.append(Finding(rule="agent-file", message=problem[0], hint=problem[1], path=path))
    return files, findings


def _read(folder: Path, name: str, files: dict[str, str], *, required: bool) -> tuple[str, str] | None:
    target = (folder / name).resolve()
    if not target.is_relative_to(folder.resolve()):
        return (f"{name!r} lies outside the manifest's folder", "keep agents' files below the manifest")
    if not target.is_file():
        return (
            (f"{name!r} does not exist", "create it, or give `instructions` in the manifest")
            if required
            else None
        )
    if target.stat().st_size > _LARGEST_BYTES:
        return f"{name!r} is larger than {_LARGEST_BYTES:,} bytes", "shorten it"
    try:
        files[name] = target.read_text("utf-8")
    except UnicodeDecodeError:
        return f"{name!r} is not UTF-8", "save it as UTF-8"
    return None
