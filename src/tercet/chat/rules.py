"""The rule-based decider: what a message asks for, told without a model.

Three rules, in order: a command (`/tool NAME {JSON}`, `/help`), a template that the message names (or that an
earlier question is still about), and everything else, which a model answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tercet.chat.decision import SuggestedTask, Suggestion
from tercet.chat.library import LibraryTemplate, TemplateLibrary, Variable
from tercet.domain.codec import from_json

_COMMAND = re.compile(r"^/(\w+)\s*(\S*)\s*(.*)$", re.DOTALL)
_LONGEST_VALUE = 200
_STOP_WORDS = r"(?:in|under|with|for|from|starting|between|and|about|on)"
_MAKING = re.compile(
    r"(?i)\b(?:generate|create|write|draft|make|prepare|produce|fill|compose|need|want|give me|set up|template)\b"
)
_NO = frozenset({"no", "cancel", "stop", "never mind", "nevermind", "forget it"})


def decide_by_rules(
    message: str, *, library: TemplateLibrary, pending: Mapping[str, Any] | None = None
) -> Suggestion:
    """Return a suggestion. `pending` is {template, variables} of the question that the message may answer."""
    command = _COMMAND.match(message.strip())
    if command is not None:
        return _command(command[1].lower(), command[2], command[3])
    template = asked_template(message, library)
    if template is not None:
        return _fill(template, extract(message, template))
    waiting = library.get(str((pending or {}).get("template") or ""))
    if waiting is not None and pending is not None and not message.rstrip().endswith("?"):
        if message.strip(" .!").casefold() in _NO:
            return Suggestion(action="respond", message=f"All right, no {waiting.title.lower()}.")
        known = dict(pending.get("variables") or {})
        return _fill(waiting, {**known, **answered(message, waiting, known)})
    return Suggestion(
        action="execute", executor_type="llm", task=SuggestedTask(task_type="answer", prompt=message)
    )


def asked_template(message: str, library: TemplateLibrary) -> LibraryTemplate | None:
    """Return the template whose longest keyword is in a message that wants something made, or None.

    "What does our supplier contract say?" is about a document, not about the template.
    """
    folded = message.casefold().strip()
    wants = _MAKING.search(folded) is not None
    found = [
        (len(keyword), template)
        for template in library.all
        for keyword in (*template.keywords, template.name)
        if (match := re.search(rf"\b{re.escape(keyword.casefold())}s?\b", folded))
        and (wants or match.start() == 0)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def extract(message: str, template: LibraryTemplate) -> dict[str, str]:
    """Return the variables that a message gives, as `name: value` lines or in a sentence."""
    found: dict[str, str] = {}
    for name, variable in template.variables.items():
        value = _labelled(message, name) or _after(message, variable)
        if value:
            found[name] = value
    return found


def answered(message: str, template: LibraryTemplate, known: Mapping[str, Any]) -> dict[str, str]:
    """Return what the answer to a question gives: a lone missing variable takes a short answer as it is."""
    found = extract(message, template)
    _, problems = template.fill({**known, **found})
    open_names = [name for name in problems if name not in found]
    if not found and len(open_names) == 1 and len(message.strip()) <= _LONGEST_VALUE:
        found[open_names[0]] = message.strip().rstrip(".")
    return found


def _labelled(message: str, name: str) -> str | None:
    label = r"[ _-]".join(re.escape(part) for part in name.split("_"))
    match = re.search(rf"(?im)\b{label}\b\s*(?:is|=|:)\s*([^\n,;]{{1,{_LONGEST_VALUE}}})", message)
    return match[1].strip().rstrip(".") if match else None


def _after(message: str, variable: Variable) -> str | None:
    for words in variable.after:
        # A name begins with a capital, so that "for our new supplier" is none; "in 2027" names no country.
        first = r"[^\W\d_a-z]" if variable.type == "text" else r"\d"
        match = re.search(
            rf"\b{re.escape(words)}\s+({first}[^\n,;:!?]{{0,{_LONGEST_VALUE}}}?)"
            rf"(?=\s+{_STOP_WORDS}\b|[,;:!?\n]|\.\s|\.?$)",
            message,
        )
        if match:
            return match[1].strip()
    return None


def _fill(template: LibraryTemplate, given: dict[str, Any]) -> Suggestion:
    return Suggestion(
        action="execute",
        executor_type="template_engine",
        task=SuggestedTask(task_type="generate_template", template=template.name, input_variables=given),
    )


def _command(name: str, argument: str, rest: str) -> Suggestion:
    if name != "tool" or not argument:
        known = "`/tool NAME {JSON}` calls a tool. Everything else is an ordinary message."
        return Suggestion(action="respond", message=known)
    try:
        arguments = from_json(rest or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        return Suggestion(
            action="clarify", message=f"The arguments of {argument} have to be a JSON object, such as {{}}."
        )
    return Suggestion(
        action="execute",
        executor_type="tool_call",
        task=SuggestedTask(task_type="call_tool", tool=argument, arguments=arguments),
    )
