import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";

import classes from "@/shared/data/text-diff.module.css";

/** What an edit changes, word by word. */
export function TextDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => diffWordsWithSpace(before, after), [before, after]);
  return (
    <div className={classes.diff} role="group" aria-label="Changes">
      {parts.map((part, index) => {
        if (part.added) return <ins key={index}>{part.value}</ins>;
        if (part.removed) return <del key={index}>{part.value}</del>;
        return <span key={index}>{part.value}</span>;
      })}
    </div>
  );
}
