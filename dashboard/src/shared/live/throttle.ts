export interface Throttled {
  (): void;
  stop(): void;
}

/** Runs at once when it was quiet, and then at most every so often, the last call always included; never twice at the same time. */
export function throttle(everyMs: number, run: () => unknown): Throttled {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isRunning = false;
  let isWanted = false;
  let stopped = false;
  const go = () => {
    isWanted = false;
    isRunning = true;
    timer = setTimeout(() => {
      timer = null;
      next();
    }, everyMs);
    void Promise.resolve(run())
      .catch(() => undefined)
      .finally(() => {
        isRunning = false;
        next();
      });
  };
  const next = () => {
    if (isWanted && !isRunning && timer === null && !stopped) go();
  };
  const throttled = () => {
    isWanted = true;
    next();
  };
  throttled.stop = () => {
    stopped = true;
    if (timer !== null) clearTimeout(timer);
  };
  return throttled;
}
