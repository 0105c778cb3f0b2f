import { expect, test } from "vitest";

import { changed, freshId, raised, readDrafts } from "@/features/plans/subtask-edits";

const DRAFTS = [{ subtask_id: "t_1", title: "one" }, { subtask_id: "t_3", title: "two" }];

test("a fresh id is one that no other subtask has", () => {
  expect(freshId("t", DRAFTS)).toBe("t_4");
  expect(freshId("t", [])).toBe("t_1");
});

test("a change keeps the fields that the form does not show", () => {
  const drafts = [{ subtask_id: "a", params: { depth: 2 } }];
  expect(changed(drafts, 0, { title: "x" })).toEqual([{ subtask_id: "a", params: { depth: 2 }, title: "x" }]);
});

test("raising moves a subtask one place up, and the first nowhere", () => {
  expect(raised(DRAFTS, 1).map((draft) => draft.subtask_id)).toEqual(["t_3", "t_1"]);
  expect(raised(DRAFTS, 0).map((draft) => draft.subtask_id)).toEqual(["t_1", "t_3"]);
});

test("JSON that is not a list of subtasks is refused with what is wrong", () => {
  expect(readDrafts("{")).toMatch(/JSON/);
  expect(readDrafts("{}")).toBe("A list of subtasks is wanted.");
  expect(readDrafts('[{"subtask_id": "a"}, {}]')).toBe("Entry 2 has no subtask_id.");
  expect(readDrafts('[{"subtask_id": "a"}]')).toEqual([{ subtask_id: "a" }]);
});
