import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { throttle } from "@/shared/live/throttle";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("throttle runs the first call at once and the rest as one after the time", async () => {
  const run = vi.fn();
  const throttled = throttle(100, run);
  for (let call = 0; call < 5; call += 1) throttled();
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(run).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(500);
  expect(run).toHaveBeenCalledTimes(2);
});

test("throttle waits for a slow run, also a failed one, before the next", async () => {
  let fail: (error: Error) => void = () => undefined;
  const run = vi.fn(() => new Promise<void>((_, reject) => { fail = reject; }));
  const throttled = throttle(100, run);
  throttled();
  throttled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(run).toHaveBeenCalledTimes(1);
  fail(new Error("gone"));
  await vi.advanceTimersByTimeAsync(1);
  expect(run).toHaveBeenCalledTimes(2);
});

test("throttle runs nothing more once it is stopped", async () => {
  const run = vi.fn();
  const throttled = throttle(100, run);
  throttled();
  throttled();
  throttled.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(run).toHaveBeenCalledTimes(1);
});
