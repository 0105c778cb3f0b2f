import type { NodeProps } from "@xyflow/react";
import { Handle, Position } from "@xyflow/react";
import { memo } from "react";

import type { FlowNode } from "@/shared/graph/flow";
import classes from "@/shared/graph/flow-canvas.module.css";
import { KindMark } from "@/shared/status/kind-mark";

interface Data {
  node: FlowNode;
  plain: boolean;
}

function Ends() {
  return (
    <>
      <Handle type="target" position={Position.Top} className={classes.handle} isConnectable={false} />
      <Handle type="source" position={Position.Bottom} className={classes.handle} isConnectable={false} />
    </>
  );
}

const HandlerNode = memo(function HandlerNode({ data }: NodeProps) {
  const { node, plain } = data as unknown as Data;
  const idle = !plain && node.count === 0;
  return (
    <div className={classes.handler} data-kind={node.kind} data-idle={idle || undefined} data-bad={node.tallies.some((one) => one.meaning === "failed") || undefined}>
      <Ends />
      <KindMark kind={node.kind} size={18} />
      <div className={classes.words}>
        <span className="clip">{node.label}</span>
        {!plain && <Tallies node={node} />}
        {plain && <span className={classes.kind}>{node.kind}</span>}
      </div>
    </div>
  );
});

const EventNode = memo(function EventNode({ data }: NodeProps) {
  const { node, plain } = data as unknown as Data;
  return (
    <div className={classes.event} data-kind={node.kind} data-idle={(!plain && node.count === 0) || undefined}>
      <Ends />
      {node.kind !== "event" && <KindMark kind={node.kind} size={13} />}
      <span className="clip">{node.label}</span>
      {!plain && node.count > 0 && <span className={classes.count}>{node.count}</span>}
    </div>
  );
});

/** How many tasks are where: one number a status, in the status's colour. */
function Tallies({ node }: { node: FlowNode }) {
  if (node.count === 0) return <span className={classes.kind}>not yet</span>;
  return (
    <span className={classes.tallies}>
      {node.tallies.map(({ meaning, count }) => (
        <span key={meaning} data-meaning={meaning} title={`${count} ${WORDS[meaning]}`}>
          {count} {WORDS[meaning]}
        </span>
      ))}
    </span>
  );
}

const WORDS = {
  queued: "queued",
  running: "running",
  person: "for a person",
  event: "waiting",
  done: "done",
  failed: "failed",
  paused: "paused",
  cancelled: "skipped",
} as const;

export const NODE_TYPES = { handler: HandlerNode, event: EventNode };
