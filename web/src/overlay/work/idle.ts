/**
 * Runs the first step immediately and the others one by one while the browser is idle. Returns a function that
 * cancels the remaining steps.
 */
export function inIdle(steps: readonly (() => void)[]): () => void {
  let stopped = false;
  const later = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 0));
  const run = (i: number) => {
    if (stopped || i >= steps.length) return;
    steps[i]!();
    later(() => run(i + 1));
  };
  run(0);
  return () => {
    stopped = true;
  };
}
