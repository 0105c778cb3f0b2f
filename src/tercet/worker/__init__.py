"""The SDK of agent workers: a process that takes a plan's work from a Tercet server and does it.

A client: it speaks HTTP and brings nothing of the server with it.
"""

from __future__ import annotations

from tercet.worker.task import Blocked, NeedsReview, Stopped, Task
from tercet.worker.task_run import Pace
from tercet.worker.worker import Worker

__all__ = ["Blocked", "NeedsReview", "Pace", "Stopped", "Task", "Worker"]
