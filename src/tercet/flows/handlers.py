"""The table of Python handlers. Only manifests from the server's own disk add to it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tercet.domain.errors import InvalidManifest
from tercet.manifest.loader import LoadedManifest

Handler = Callable[..., Any]


class HandlerTable:
    """Handlers by `module:function`."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    @property
    def names(self) -> frozenset[str]:
        """What a manifest that arrives over HTTP may name."""
        return frozenset(self._handlers)

    def register(self, name: str, handler: Handler) -> None:
        """Add a handler."""
        self._handlers[name] = handler

    def get(self, name: str) -> Handler | None:
        """Return a handler, or None."""
        return self._handlers.get(name)

    def import_all(self, loaded: LoadedManifest) -> None:
        """Import what a local manifest names, from its folder first. Raises InvalidManifest naming each failure."""
        manifest = loaded.raise_for_errors()
        wanted = [
            (function.handler, ("functions", index, "handler"))
            for index, function in enumerate(manifest.functions)
            if function.handler is not None
        ]
        wanted += [
            (step.action, ("functions", index, "steps"))
            for index, function in enumerate(manifest.functions)
            for step in function.steps
        ]
        problems = []
        for name, path in wanted:
            try:
                self._handlers[name] = _import(name, loaded.folder)
            except Exception as error:  # whatever a module does while it is imported
                line, column = loaded.places.find(path)
                reason = f"{type(error).__name__}: {error}"
                problems.append(
                    {"severity": "error", "rule": "handler-import", "message": f"cannot import {name!r}: {reason}",
                     "hint": "the module lies beside the manifest or is installed", "file": loaded.places.file,
                     "line": line, "column": column}
                )  # fmt: skip
        if problems:
            raise InvalidManifest(
                f"{problems[0]['file']}:{problems[0]['line']} {problems[0]['message']}",
                hint="see the list",
                detail=problems,
            )


def _import(name: str, folder: Path | None) -> Handler:
    module_name, _, function_name = name.partition(":")
    module = _local_module(module_name, folder) if folder is not None else None
    if module is None:
        module = importlib.import_module(module_name)
    handler = getattr(module, function_name)
    if not callable(handler):
        raise TypeError(f"{function_name!r} is not callable")
    return handler  # type: ignore[no-any-return]


def _local_module(module_name: str, folder: Path) -> Any:
    """Load `folder/module.py` under a name of its own, so that two manifests may both have a `handlers.py`."""
    path = folder.joinpath(*module_name.split(".")).with_suffix(".py").resolve()
    if not path.is_file() or not path.is_relative_to(folder.resolve()):
        return None
    unique = f"tercet_handlers_{abs(hash(str(path)))}_{path.stem}"
    if unique in sys.modules:
        return sys.modules[unique]
    spec = importlib.util.spec_from_file_location(unique, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[unique]
        raise
    return module
