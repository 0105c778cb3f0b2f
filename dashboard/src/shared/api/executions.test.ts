import { describe, expect, it } from "vitest";

import { mergeNewest } from "@/shared/api/executions";
import { makeExecution } from "@/shared/api/fakes";

const rows = (...ids: string[]) => ids.map((id) => makeExecution({ execution_id: id }));
const idsOf = (list: { rows: { execution_id: string }[] }) => list.rows.map((row) => row.execution_id).join("");

describe("mergeNewest", () => {
  it("puts new rows first and keeps the older ones with their cursor", () => {
    const known = { rows: rows("d", "c", "b", "a"), olderCursor: "a" };

    const merged = mergeNewest(known, { items: rows("e", "d"), next_cursor: "d" });

    expect(idsOf(merged)).toBe("edcba");
    expect(merged.olderCursor).toBe("a");
  });

  it("drops what does not match the filter any more", () => {
    const known = { rows: rows("d", "c", "b", "a"), olderCursor: null };

    expect(idsOf(mergeNewest(known, { items: rows("d", "b"), next_cursor: "b" }))).toBe("dba");
  });

  it("starts over when more came than a page holds", () => {
    const known = { rows: rows("c", "b"), olderCursor: "b" };

    const merged = mergeNewest(known, { items: rows("h", "g"), next_cursor: "g" });

    expect(idsOf(merged)).toBe("hg");
    expect(merged.olderCursor).toBe("g");
  });

  it("takes a short page as the whole list", () => {
    const known = { rows: rows("c", "b"), olderCursor: null };

    expect(idsOf(mergeNewest(known, { items: rows("c"), next_cursor: null }))).toBe("c");
  });
});
