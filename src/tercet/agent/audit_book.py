"""The audit chains of executions: each row follows from the one before it in the same execution."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from tercet.store.agents import audit_of
from tercet.store.reader import Reader
from tercet.tools.audit import AuditChain

_MOST_CHAINS = 5_000


class AuditBook:
    """Knows where each chain ends; learns it from the store when it does not."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._chains: OrderedDict[str, AuditChain] = OrderedDict()
        self._lock = asyncio.Lock()

    async def chain(self, execution_id: str, *, may_exist: bool) -> AuditChain:
        """Return the chain of an execution; `may_exist` says whether an earlier attempt may have written to it."""
        chain = self._chains.get(execution_id)
        if chain is None and may_exist:
            async with self._lock:
                chain = self._chains.get(execution_id)
                if chain is None:
                    rows = await self._reader.read(audit_of, execution_id)
                    chain = AuditChain(keep=False)
                    if rows:
                        chain.seq, chain.head = rows[-1]["seq"], rows[-1]["hash"]
                    self._chains[execution_id] = chain
        if chain is None:
            chain = self._chains[execution_id] = AuditChain(keep=False)
        self._chains.move_to_end(execution_id)
        while len(self._chains) > _MOST_CHAINS:
            self._chains.popitem(last=False)
        return chain

    def forget(self, execution_id: str) -> None:
        """Drop what is known of a chain whose rows may not have been written."""
        self._chains.pop(execution_id, None)
