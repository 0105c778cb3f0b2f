import { describe, expect, it } from "vitest";

import { readExecutionsSearch, readInboxSearch } from "@/app/search";

describe("search", () => {
  it("keeps what it knows and drops the rest", () => {
    const raw = { status: "FAILED", text: "<b>", kind: 7, other: "x" };

    expect(readExecutionsSearch(raw)).toEqual({ status: "FAILED", text: "<b>", kind: "7" });
  });

  it("drops a status that does not exist", () => {
    expect(readInboxSearch({ status: "maybe" })).toEqual({ status: undefined, approval: undefined });
  });
});
