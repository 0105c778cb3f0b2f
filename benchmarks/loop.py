"""What driving a loop costs beside its nodes: Tercet's durable driver and LangGraph, with the same nodes and routes.

All models answer at once. Each contestant runs in a process of its own, in rounds; the best round counts. LangGraph
with its SQLite checkpointer promises what Tercet promises (a turn that is recorded is not made again), so that is
the comparison; without it, and with the checkpointer in memory, the figures stand beside it.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from benchmarks.environments import environment
from benchmarks.report import print_table

HERE = Path(__file__).parent / "contestants"
RUNS = 40
ROUNDS = 3
_LANGGRAPH = ("langgraph-checkpoint-sqlite", "langgraph", "pydantic", "orjson")
_CONTESTANTS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "nodes alone": (["loop_nodes.py", str(RUNS)], ()),
    "Tercet, durable": (["loop_tercet.py", str(RUNS)], ()),
    "LangGraph, SQLite": (["loop_langgraph.py", str(RUNS), "sqlite"], _LANGGRAPH),
    "LangGraph, in memory": (["loop_langgraph.py", str(RUNS), "memory"], _LANGGRAPH),
    "LangGraph, nothing kept": (["loop_langgraph.py", str(RUNS), "none"], _LANGGRAPH),
}
_MOST_RATIO = 0.1


def measure() -> dict[str, float]:
    """Run the contest, print the table, return the figures."""
    pythons = {name: environment(*packages) for name, (_, packages) in _CONTESTANTS.items()}
    rounds: dict[str, list[float]] = {name: [] for name in _CONTESTANTS}
    for _ in range(ROUNDS):
        for name, (words, _packages) in _CONTESTANTS.items():
            rounds[name].append(_wall_ms(pythons[name], words))
    best = {name: min(figures) for name, figures in rounds.items()}
    nodes = best.pop("nodes alone")
    overhead = {name: wall - nodes for name, wall in best.items()}
    ours = overhead["Tercet, durable"]
    ratio = ours / overhead["LangGraph, SQLite"]
    print_table(
        "A loop's driver: time a turn beside the nodes",
        [
            *(
                (name, f"{ms:.3f} ms", f"{ms / ours:.1f} times Tercet's", None)
                for name, ms in overhead.items()
            ),
            ("nodes alone", f"{nodes:.3f} ms", "", None),
            (
                "Tercet to LangGraph, both durable",
                f"{ratio:.3f}",
                f"at most {_MOST_RATIO:.2f}",
                ratio <= _MOST_RATIO,
            ),
        ],
    )
    return {
        "loop.overhead_ms_per_turn": round(ours, 3),
        "loop.langgraph_overhead_ms_per_turn": round(overhead["LangGraph, SQLite"], 3),
        "loop.langgraph_not_durable_overhead_ms_per_turn": round(overhead["LangGraph, nothing kept"], 3),
        "loop.ratio_to_langgraph": round(ratio, 4),
    }


def _wall_ms(python: str, words: list[str]) -> float:
    own = {name: value for name, value in os.environ.items() if not name.startswith("TERCET_")}
    done = subprocess.run(
        [python, *words], cwd=HERE, check=True, capture_output=True, text=True,
        env={**own, "PYTHONPATH": str(HERE.parents[1] / "src")},
    )  # fmt: skip
    return float(json.loads(done.stdout)["wall_ms_per_turn"])
