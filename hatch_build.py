"""Puts the dashboard into a wheel: takes what is built, builds it when it is missing, and fails loudly otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PATIENCE_SECONDS = 900


class DashboardBuildHook(BuildHookInterface[Any]):
    """Runs before a wheel is packed. An editable install serves what `make dashboard` builds, and needs nothing here."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the dashboard where it is missing. Raises RuntimeError when that fails."""
        root = Path(self.root)
        if version == "editable" or (root / "src/tercet/web/dashboard_assets/index.html").exists():
            return
        # pip hides itself from what it builds by PYTHONPATH, and Node may have to be fetched with pip.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        build = "scripts/install.sh && npm run --silent build"
        try:
            subprocess.run(
                [root / "dashboard/scripts/with-node.sh", "sh", "-c", build],
                env={**environment, "PYTHON": sys.executable}, check=True, timeout=_PATIENCE_SECONDS,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as error:
            raise RuntimeError(
                "the wheel needs the built dashboard, and it could not be built: run `make dashboard` first"
            ) from error
