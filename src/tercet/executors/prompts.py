"""The prompt of a request: instructions, data marked as untrusted, and the task."""

from __future__ import annotations

from html import escape
from typing import Any

from tercet.domain.codec import to_json
from tercet.domain.contract import ExecutorRequest


def data_block(source: str, content: str) -> str:
    """Wrap untrusted content so that it cannot end its own block or pass for instructions."""
    return f'<data source="{escape(source)}" trust="low">\n{escape(content, quote=False)}\n</data>'


def user_prompt(request: ExecutorRequest) -> str:
    """Return the user turn: documents, input variables, then what to do."""
    task = request.task
    parts = [
        data_block(document.title, document.snippet)
        for document in request.execution_context.retrieved_documents
    ]
    if task.input_variables:
        parts.append(data_block("input_variables", _pretty(task.input_variables)))
    if task.prompt:
        parts.append(task.prompt)
    elif task.task_type:
        parts.append(f"Task: {task.task_type.replace('_', ' ')}")
    return "\n\n".join(parts)


def _pretty(variables: dict[str, Any]) -> str:
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else to_json(value)}" for name, value in variables.items()
    )
