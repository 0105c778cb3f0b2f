"""`template_engine`: sandboxed Jinja2 over `input_variables`.

Task fields: `template` (a text) or `templates` ({name: text}); `autoescape` (default false).
Result: {content, format: text}, or {name: text, …} for `templates`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult

_LARGEST_TEMPLATE = 200_000
_LARGEST_OUTPUT = 1_000_000
_QUICK_TEMPLATE = 4_000
_LARGEST_BASE, _LARGEST_EXPONENT, _LONGEST_RANGE = 1_000_000, 64, 1_000
_LOOPS = ("{%", "range", "*")


class TooMuchOutput(Exception):
    """The template produced more than the cap."""


class TemplateEngineExecutor:
    """Renders templates: deterministic, without files, without Python."""

    executor_type = "template_engine"

    async def run(self, request: ExecutorRequest) -> ExecutorResult:
        """Render; see the contract."""
        task = request.task
        templates = task.field("templates")
        single = task.field("template", task.prompt)
        if (templates is None) == (single is None) or not _are_texts(templates, single):
            return ExecutorResult.failure(
                ErrorCode.INVALID_INPUT, "Give `template` (a text) or `templates` ({name: text})"
            )
        sources: dict[str, str] = templates if templates is not None else {"content": single}
        if any(len(source) > _LARGEST_TEMPLATE for source in sources.values()):
            return ExecutorResult.failure(
                ErrorCode.INVALID_INPUT, f"A template has at most {_LARGEST_TEMPLATE:,} characters"
            )
        autoescape = bool(task.field("autoescape", False))
        try:
            if all(_is_quick(source) for source in sources.values()):
                rendered = _render_all(sources, task.input_variables, autoescape)
            else:
                rendered = await asyncio.to_thread(_render_all, sources, task.input_variables, autoescape)
        except TemplateSyntaxError as error:
            return ExecutorResult.failure(ErrorCode.TEMPLATE_ERROR, f"Line {error.lineno}: {error.message}")
        except UndefinedError as error:
            return ExecutorResult.failure(
                ErrorCode.MISSING_VARIABLE, f"A variable is missing: {error.message}"
            )
        except TooMuchOutput:
            return ExecutorResult.failure(
                ErrorCode.TEMPLATE_ERROR, f"The result is longer than {_LARGEST_OUTPUT:,} characters"
            )
        except (
            TemplateError,
            ArithmeticError,
            TypeError,
            ValueError,
            AttributeError,
            LookupError,
            RecursionError,
        ) as error:
            return ExecutorResult.failure(ErrorCode.TEMPLATE_ERROR, f"{type(error).__name__}: {error}"[:300])
        if templates is None:
            rendered["format"] = "text"
        return ExecutorResult(status="success", result=dict(rendered))


def _are_texts(templates: Any, single: Any) -> bool:
    if templates is not None:
        return (
            isinstance(templates, dict)
            and bool(templates)
            and all(isinstance(t, str) for t in templates.values())
        )
    return isinstance(single, str)


def _is_quick(source: str) -> bool:
    """Whether the template can only substitute: such a one cannot hold the event loop."""
    return len(source) < _QUICK_TEMPLATE and not any(mark in source for mark in _LOOPS)


def _render_all(sources: dict[str, str], variables: dict[str, Any], autoescape: bool) -> dict[str, str]:
    return {name: _render(source, variables, autoescape) for name, source in sources.items()}


def _render(source: str, variables: dict[str, Any], autoescape: bool) -> str:
    return "".join(_capped(_compile(source, autoescape).generate(**_safe_names(variables))))


def _capped(chunks: Iterator[str]) -> Iterator[str]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > _LARGEST_OUTPUT:
            raise TooMuchOutput
        yield chunk


def _safe_names(variables: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in variables.items() if name != "self"}


@lru_cache(maxsize=1_000)
def _compile(source: str, autoescape: bool) -> Template:
    environment = _environment(autoescape)
    tree = environment.parse(source)
    _refuse_endless(tree)
    return environment.from_string(tree)


def _refuse_endless(tree: nodes.Template) -> None:
    """A thread cannot be killed, so what could run for ever is refused before it starts."""
    for node in tree.find_all(
        (nodes.Macro, nodes.CallBlock, nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
    ):
        raise TemplateSyntaxError(f"{type(node).__name__.lower()} is not available", node.lineno)
    for loop in tree.find_all(nodes.For):
        inner = [deep for child in loop.find_all(nodes.For) for deep in child.find_all(nodes.For)]
        if loop.recursive or inner:
            raise TemplateSyntaxError("loops may be nested twice, and not be recursive", loop.lineno)


class _Environment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"*", "**", "%"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "**" and not (abs(left) <= _LARGEST_BASE and abs(right) <= _LARGEST_EXPONENT):
            raise TemplateRuntimeError("the power is too large")
        if operator != "**" and not all(isinstance(side, (int, float)) for side in (left, right)):
            raise TemplateRuntimeError(f"{operator} works on numbers only")
        return super().call_binop(context, operator, left, right)


def _limited_range(*args: int) -> range:
    numbers = range(*args)
    if len(numbers) > _LONGEST_RANGE:
        raise TemplateRuntimeError(f"a range has at most {_LONGEST_RANGE} numbers")
    return numbers


@lru_cache(maxsize=2)
def _environment(autoescape: bool) -> _Environment:
    environment = _Environment(undefined=StrictUndefined, autoescape=autoescape)
    environment.globals["range"] = _limited_range
    # These build long texts out of short ones in one call.
    for name in ("center", "indent", "format"):
        environment.filters.pop(name, None)
    return environment
