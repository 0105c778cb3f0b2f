"""The parts by which agent workers execute plans, put together."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.domain.sealing import Keyring
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.humans.cancelling import Cancelling
from tercet.humans.tokens import Tokens
from tercet.plans.board import Board
from tercet.plans.handover import HandOver
from tercet.plans.library import PlanLibrary
from tercet.plans.progress import Progress
from tercet.plans.push import Push
from tercet.plans.reports import Reports
from tercet.plans.starting import PlanRuns
from tercet.plans.verdicts import Verdicts
from tercet.plans.watch import Watch
from tercet.plans.work import Work, WorkRules
from tercet.plans.workers import Workers
from tercet.tools.safe_http import Reach


@dataclass(frozen=True, kw_only=True)
class PlanWork:
    """What the doors use of it."""

    library: PlanLibrary
    runs: PlanRuns
    workers: Workers
    board: Board
    work: Work
    reports: Reports
    watch: Watch
    push: Push
    handover: HandOver

    async def start(self) -> None:
        """Read the agent workers and begin to look after the open executions; the engine runs already."""
        await self.reports.keys.start()
        await self.watch.start()
        await self.handover.start()

    async def stop(self) -> None:
        """Stop pushing and looking."""
        await self.push.stop()
        await self.watch.stop()


def assemble(
    engine: Engine, intake: Intake, cancelling: Cancelling, tokens: Tokens, keyring: Keyring, reach: Reach,
    rules: WorkRules, *, report_event: str,
) -> PlanWork:  # fmt: skip
    """Return the parts over an engine; `start` begins. `report_event` tells the giver of an errand of its end."""
    workers, library = Workers(engine, tokens, keyring), PlanLibrary(engine)

    def cancel_soon(execution_id: str, reason: str) -> None:
        engine.spawn(cancelling.cancel_execution(execution_id, by="a decision", reason=reason))

    progress = Progress(
        doable=workers.doable, cancel_soon=cancel_soon, escalate_seconds=rules.escalate_seconds,
        min_confidence=rules.min_confidence,
    )  # fmt: skip
    verdicts = Verdicts(progress, rules)
    runs = PlanRuns(engine, intake, library, workers, progress)
    board = Board()
    work = Work(engine, board, progress, rules)
    return PlanWork(
        library=library,
        runs=runs,
        handover=HandOver(engine, intake, library, runs, report_event=report_event),
        workers=workers,
        board=board,
        work=work,
        reports=Reports(engine, workers, work, verdicts),
        watch=Watch(engine, workers, work, progress, verdicts, cancelling, rules),
        push=Push(workers, work, board, reach),
    )
