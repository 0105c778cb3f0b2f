"""A pinned revision: the manifest and its files as one text, so that an execution never needs the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.manifest.folders import instructions_file, schema_file
from tercet.manifest.handlers import JsonSchema
from tercet.manifest.loader import LoadedManifest, parse_yaml
from tercet.manifest.schema import Agent, Manifest

DEFAULT_OUTPUT_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {"success": {"type": "boolean"}, "error": {"type": "string"}, "output": {"type": "string"}},
    "required": ["success"],
}
"""What an agent without an output schema answers with."""


@dataclass(frozen=True, kw_only=True)
class Revision:
    """One revision of a manifest."""

    manifest: Manifest
    digest: str
    files: dict[str, str]

    @classmethod
    def of(cls, loaded: LoadedManifest) -> Revision:
        """Pin a loaded manifest. Raises InvalidManifest when it has errors."""
        return cls(manifest=loaded.raise_for_errors(), digest=loaded.digest, files=dict(loaded.files))

    def to_stored(self) -> str:
        """Return the text that the store keeps."""
        body = self.manifest.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return to_json({"manifest": body, "digest": self.digest, "files": self.files})

    @classmethod
    def from_stored(cls, text: str) -> Revision:
        """Read what `to_stored` wrote."""
        stored: dict[str, Any] = from_json(text)
        return cls(
            manifest=Manifest.model_validate(stored["manifest"]),
            digest=stored["digest"],
            files=stored["files"],
        )

    def instructions_of(self, agent: Agent) -> str:
        """Return the agent's instructions: inline ones first, else its CLAUDE.md."""
        if agent.instructions is not None:
            return agent.instructions
        return self.files.get(instructions_file(agent), "")

    def output_schema_of(self, agent: Agent) -> JsonSchema:
        """Return the schema of the agent's output."""
        schema = agent.contract.output_schema
        if isinstance(schema, dict):
            return schema
        path = schema_file(agent)
        if path is None or path not in self.files:
            return DEFAULT_OUTPUT_SCHEMA
        parsed = parse_yaml(self.files[path])
        return from_json(to_json(parsed))  # type: ignore[no-any-return]
