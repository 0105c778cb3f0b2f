import { ActionIcon, Group } from "@mantine/core";
import { IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useMemo, useState } from "react";

import { Gantt } from "@/features/plans/gantt";
import { arrowsOf, rowsOf } from "@/features/plans/gantt-rows";
import classes from "@/features/plans/gantt.module.css";
import type { PlanDetail, PlannedTask } from "@/shared/api/plans";
import { EmptyState } from "@/shared/states/states";

const MOST_ZOOM = 64;

interface Props {
  plan: PlanDetail;
  planned: ReadonlyMap<string, PlannedTask>;
  closed: ReadonlySet<string>;
  onToggle: (phaseId: string) => void;
  onTask: (taskId: string) => void;
}

export function GanttTab({ plan, planned, closed, onToggle, onTask }: Props) {
  const [zoom, setZoom] = useState(1);
  const { phases, dependencies } = plan.plan;
  const rows = useMemo(() => rowsOf(phases, planned, closed), [phases, planned, closed]);
  const arrows = useMemo(() => arrowsOf(rows, dependencies), [rows, dependencies]);
  if (rows.length === 0) return <EmptyState title="The plan has no tasks" />;
  return (
    <div className="panel">
      <div className={classes.tools}>
        <div className={classes.legend}>
          <span>
            <span className={classes.sample} data-critical aria-hidden />
            critical: a delay of it delays the plan
          </span>
          <span>
            <span className={classes.sample} aria-hidden />
            has float
          </span>
        </div>
        <Group gap={2}>
          <ActionIcon disabled={zoom === 1} onClick={() => setZoom(zoom / 2)} aria-label="Zoom out">
            <IconZoomOut size={16} />
          </ActionIcon>
          <ActionIcon disabled={zoom >= MOST_ZOOM} onClick={() => setZoom(zoom * 2)} aria-label="Zoom in">
            <IconZoomIn size={16} />
          </ActionIcon>
        </Group>
      </div>
      <Gantt rows={rows} arrows={arrows} closed={closed} zoom={zoom} onToggle={onToggle} onTask={onTask} />
    </div>
  );
}
