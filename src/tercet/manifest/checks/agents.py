"""Rules about agents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tercet.manifest.checks.expressions import schema_findings
from tercet.manifest.checks.known import Known
from tercet.manifest.problems import Finding, Path
from tercet.manifest.revision import Revision


def missing_instructions(known: Known) -> Iterator[Finding]:
    """An agent that came over the network has no inline instructions."""
    if known.has_folder:
        return
    for index, agent in enumerate(known.manifest.agents):
        if agent.instructions is None:
            yield Finding(
                rule="missing-instructions", message=f"{agent.name!r} has no instructions and there is no folder to read",
                hint="give `instructions:` in the manifest", path=("agents", index, "name"),
            )  # fmt: skip
        if isinstance(agent.contract.output_schema, str):
            yield Finding(
                rule="missing-instructions", message=f"{agent.name!r} names a schema file and there is no folder to read",
                hint="write the schema into the manifest", path=("agents", index, "contract", "output_schema"),
            )  # fmt: skip


def output_schema_contract(known: Known) -> Iterator[Finding]:
    """Every output schema has a required `success: boolean` and an optional `error: string`."""
    revision = Revision(manifest=known.manifest, digest="", files=known.files)
    for index, agent in enumerate(known.manifest.agents):
        path: Path = ("agents", index, "contract", "output_schema")
        try:
            schema = revision.output_schema_of(agent)
        except Exception as error:
            yield Finding(
                rule="output-schema-contract",
                message=f"the schema file is not YAML or JSON: {error}"[:300],
                path=path,
            )
            continue
        problems = list(schema_findings("output-schema-contract", schema, path))
        yield from problems
        if not problems and (reason := _breaks_contract(schema)):
            yield Finding(
                rule="output-schema-contract", message=f"{agent.name!r}: {reason}",
                hint="properties: {success: {type: boolean}, error: {type: string}, …}, required: [success, …]", path=path,
            )  # fmt: skip


def unknown_subagent(known: Known) -> Iterator[Finding]:
    """subagents names no agent of the manifest."""
    agents = {agent.name for agent in known.manifest.agents}
    for index, agent in enumerate(known.manifest.agents):
        for position, name in enumerate(agent.config.subagents):
            if name not in agents:
                yield Finding(
                    rule="unknown-subagent", message=f"there is no agent {name!r}", hint=known.similar(name, agents),
                    path=("agents", index, "config", "subagents", position),
                )  # fmt: skip


def mcp_server_by_name(known: Known) -> Iterator[Finding]:
    """mcp_servers names servers of the operator's file; a manifest may not bring a command along."""
    for index, agent in enumerate(known.manifest.agents):
        for position, server in enumerate(agent.config.mcp_servers):
            if not isinstance(server, str):
                yield Finding(
                    rule="mcp-server-by-name", message="an MCP server is given by its name",
                    hint="put the server into the file of TERCET_MCP_SERVERS_FILE and name it here",
                    path=("agents", index, "config", "mcp_servers", position),
                )  # fmt: skip


def from_db_not_in_force(known: Known) -> Iterator[Finding]:
    """context_in.from_db is accepted but not used."""
    for index, agent in enumerate(known.manifest.agents):
        if agent.contract.context_in.from_db:
            yield Finding(
                severity="warning", rule="from-db-not-in-force", message="from_db is not used",
                hint="give the data in the event or under static", path=("agents", index, "contract", "context_in"),
            )  # fmt: skip


def _breaks_contract(schema: dict[str, Any]) -> str | None:
    properties = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(properties, dict):
        return "the output schema must be of type object with properties"
    success, error = properties.get("success"), properties.get("error")
    if (
        not isinstance(success, dict)
        or success.get("type") != "boolean"
        or "success" not in schema.get("required", [])
    ):
        return "the output schema needs a required `success` of type boolean"
    if not isinstance(error, dict) or error.get("type") not in ("string", ["string", "null"]):
        return "the output schema needs an `error` of type string"
    if "error" in schema.get("required", []):
        return "`error` must not be required: a success has none"
    return None


RULES = (
    missing_instructions,
    output_schema_contract,
    unknown_subagent,
    mcp_server_by_name,
    from_db_not_in_force,
)
