import { useMemo, useState } from "react";

import { BulkBar } from "@/features/executions/list/bulk-bar";
import { ExecutionFilters } from "@/features/executions/list/execution-filters";
import { ExecutionTable } from "@/features/executions/list/execution-table";
import { fits } from "@/features/executions/list/text-filter";
import { useExecutionRows } from "@/features/executions/list/use-execution-rows";
import type { Execution, ExecutionStatus } from "@/shared/api/wire";
import { Page } from "@/shared/layout/page";
import { EmptyState, ErrorState, LoadingRows } from "@/shared/states/states";

export interface ListFilter {
  status?: ExecutionStatus;
  kind?: string;
  text?: string;
}

interface Props {
  filter: ListFilter;
  onFilter: (change: ListFilter) => void;
}

export function ExecutionsPage({ filter, onFilter }: Props) {
  const list = useExecutionRows({ status: filter.status, kind: filter.kind });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => list.rows?.filter((row) => fits(row, filter.text)), [list.rows, filter.text]);
  const isFiltered = filter.status !== undefined || filter.kind !== undefined || filter.text !== undefined;
  return (
    <Page title="Executions" fill>
      <ExecutionFilters filter={filter} onFilter={onFilter} shown={rows?.length} loaded={list.rows?.length} hasOlder={list.hasOlder} />
      {rows === undefined && (list.error ? <ErrorState error={list.error} onRetry={list.retry} /> : <LoadingRows rows={12} />)}
      {rows?.length === 0 && !list.hasOlder && <Nothing isFiltered={isFiltered} />}
      {rows !== undefined && (rows.length > 0 || list.hasOlder) && (
        <ExecutionTable rows={rows} chosen={chosen} onChosen={setChosen} onEnd={list.loadOlder} hasOlder={list.hasOlder} />
      )}
      {chosen.size > 0 && <BulkBar executions={chosenOf(list.rows ?? [], chosen)} onDone={() => setChosen(new Set())} />}
    </Page>
  );
}

function chosenOf(rows: Execution[], chosen: ReadonlySet<string>): Execution[] {
  return rows.filter((row) => chosen.has(row.execution_id));
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="Nothing fits">Take away a filter to see more.</EmptyState>;
  return (
    <EmptyState title="Nothing has run yet">
      Deploy a manifest and send an event that it waits for, from its page or with <span className="mono">tercet emit</span>.
    </EmptyState>
  );
}
