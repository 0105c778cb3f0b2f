import { Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import classes from "@/features/home/home-page.module.css";
import { throughputOf } from "@/shared/api/executions";
import { formatCount } from "@/shared/money";
import { Loaded } from "@/shared/states/loaded";

const HOURS = 24;
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** One bar an hour, in the reader's zone: how many executions began; those that failed are its foot. */
export function Throughput() {
  const query = useQuery(throughputOf(HOURS));
  return (
    <Loaded query={query}>
      {({ items }) => {
        const most = Math.max(...items.map((hour) => hour.started), 1);
        const total = items.reduce((sum, hour) => sum + hour.started, 0);
        const completed = items.reduce((sum, hour) => sum + hour.completed, 0);
        const failed = items.reduce((sum, hour) => sum + hour.failed, 0);
        const told = `${formatCount(total)} began, ${formatCount(completed)} completed, ${formatCount(failed)} failed`;
        return (
          <>
            <div className={classes.days} role="img" aria-label={`${told} in ${HOURS} hours`}>
              {items.map(({ hour, started, failed: bad }) => (
                <Tooltip key={hour} label={`${CLOCK.format(new Date(hour))}: ${formatCount(started)} began, ${formatCount(bad)} failed`}>
                  <span className={classes.hour} data-none={started === 0 || undefined} style={{ height: `${(100 * started) / most}%` }}>
                    {bad > 0 && <span className={classes.hourBad} style={{ height: `${(100 * bad) / started}%` }} />}
                  </span>
                </Tooltip>
              ))}
            </div>
            <div className={classes.sums}>
              <span>{told}</span>
              <span>this hour {formatCount(items.at(-1)?.started ?? 0)}</span>
            </div>
          </>
        );
      }}
    </Loaded>
  );
}
