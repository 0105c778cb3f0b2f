"""`make bench [AREA=engine]`: measures, prints tables with ratios, writes benchmarks/results/latest.json."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

AREAS = ("engine", "approvals", "agent", "events", "loop")
RESULTS = Path(__file__).parent / "results" / "latest.json"


def main(wanted: list[str]) -> int:
    """Run the areas that are named, or all."""
    unknown = [area for area in wanted if area not in AREAS]
    if unknown:
        print(f"there is no area {unknown[0]!r}; areas: {', '.join(AREAS)}", file=sys.stderr)
        return 2
    figures: dict[str, float] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for area in wanted or AREAS:
        # `engine` includes what it promises about approvals.
        for name in ("engine", "approvals") if area == "engine" else (area,):
            if name == "approvals" and area != name and "approvals" in (wanted or AREAS):
                continue
            figures.update(importlib.import_module(f"benchmarks.{name}").measure())
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n")
    print(f"\nwrote {RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
