import { Tooltip } from "@mantine/core";

import { formatDistance } from "@/shared/time/duration";
import { useNow } from "@/shared/time/use-now";

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hour12: false,
});

/** A moment in the reader's zone; hovering shows the full date and the same in UTC. */
export function When({ at, as = "distance" }: { at: string | null; as?: "distance" | "full" | "clock" }) {
  if (at === null) return <span className="dim">–</span>;
  return (
    <Tooltip label={<Both at={at} />} multiline openDelay={200}>
      <time dateTime={at} className="numbers">
        {as === "distance" ? <Distance at={at} /> : (as === "full" ? LOCAL : CLOCK).format(new Date(at))}
      </time>
    </Tooltip>
  );
}

function Distance({ at }: { at: string }) {
  const now = useNow();
  return formatDistance(Date.parse(at), now);
}

function Both({ at }: { at: string }) {
  return (
    <span className="numbers">
      {LOCAL.format(new Date(at))}
      <br />
      {new Date(at).toISOString().replace("T", " ").replace("Z", " UTC")}
    </span>
  );
}
