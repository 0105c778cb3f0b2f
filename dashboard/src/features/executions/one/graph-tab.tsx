import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { flowOf } from "@/features/executions/one/execution-flow";
import { manifestGraph } from "@/shared/api/manifests";
import type { ExecutionDetail, LogEvent } from "@/shared/api/wire";
import { FlowCanvas } from "@/shared/graph/flow-canvas";
import { EmptyState, LoadingRows } from "@/shared/states/states";

interface Props {
  execution: ExecutionDetail;
  log: LogEvent[];
  onHandler: (handler: string) => void;
}

/** The manifest's shape with what has run so far laid over it. */
export default function GraphTab({ execution, log, onHandler }: Props) {
  const shape = useQuery({ ...manifestGraph(execution.name), enabled: execution.kind === "manifest" });
  const flow = useMemo(() => flowOf(shape.data, execution.tasks, log), [shape.data, execution.tasks, log]);
  if (shape.isLoading) return <LoadingRows />;
  if (flow.nodes.length === 0) return <EmptyState title="No task has started yet" />;
  return <FlowCanvas flow={flow} onNode={(node) => node.isHandler && onHandler(node.label)} label={`Graph of ${execution.name}`} />;
}
