"""The tree of a plan's execution as the terminal shows it."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.tree import Tree

from tercet.cli.output import STATUS_STYLES, status

_MARKS = {
    "COMPLETE": "✓", "SKIPPED": "↷", "ERROR": "✗", "RUNNING": "▶", "BLOCKED": "‖", "QUEUED": "○", "PAUSED": "‖",
    "CANCELLED": "✗",
}  # fmt: skip
_NOT_BEGUN = "·"


def plan_tree_view(shown: dict[str, Any]) -> Tree:
    """Return what `GET /executions/{id}/tree` answered: phases, tasks, subtasks, each with its status."""
    execution = shown["execution"]
    progress = execution["progress"]
    head = (
        f"[bold]{escape(shown['title'])}[/bold]  {status(execution['status'])}  "
        f"{progress['tasks_completed']}/{progress['tasks_total']} tasks"
    )
    if execution["status_message"] and execution["completed_at"] is None:
        head += f"  [dim]{escape(execution['status_message'])}[/dim]"
    tree = Tree(head, guide_style="dim")
    for phase in shown["phases"]:
        branch = tree.add(f"[bold]{escape(phase['name'] or phase['phase_id'])}[/bold]")
        for task in phase["tasks"]:
            node = branch.add(_line(task["status"], task["title"] or task["task_id"], _counts(task)))
            for subtask in _shown_subtasks(task):
                node.add(
                    _line(subtask["status"], subtask["title"] or subtask["subtask_id"], _details(subtask))
                )
    return tree


def _shown_subtasks(task: dict[str, Any]) -> list[dict[str, Any]]:
    """A task without subtasks of its own is done as one: that needs no second line."""
    subtasks: list[dict[str, Any]] = task["subtasks"]
    return [s for s in subtasks if s["subtask_id"] != task["task_id"] or s["status"] in ("BLOCKED", "ERROR")]


def _counts(task: dict[str, Any]) -> str:
    total = task["subtasks_total"]
    return f"{task['subtasks_completed']}/{total}" if total > 1 else ""


def _details(subtask: dict[str, Any]) -> str:
    parts = [subtask["action"]]
    if subtask["agent_id"]:
        parts.append(subtask["agent_id"])
    elif isinstance(subtask["result_data"], dict) and subtask["result_data"].get("done_by"):
        parts.append(subtask["result_data"]["done_by"])
    if subtask["attempt"] > 1:
        parts.append(f"attempt {subtask['attempt']}")
    if subtask["status"] in ("BLOCKED", "ERROR") and subtask["error_message"]:
        parts.append(subtask["error_message"])
    return "  ".join(parts)


def _line(word: str, title: str, details: str) -> str:
    style = STATUS_STYLES.get(word, "default")
    mark = _MARKS.get(word, _NOT_BEGUN)
    line = f"[{style}]{mark}[/{style}] {escape(title)}"
    return f"{line}  [dim]{escape(details)}[/dim]" if details else line
