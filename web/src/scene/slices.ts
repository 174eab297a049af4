/** The time budget for a slice of work, in ms: short enough to fit between two frames. */
const slice = 4;
/**
 * If frames are slow, a slice takes this share of the time since the last slice, so that the work still finishes
 * soon.
 */
const share = 0.2;

/** Finishes work immediately. */
export function finish<A>(work: Generator<unknown, A>): A {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Does work in short slices between frames, then calls done. Returns a function that stops the work. */
export function inSlices<A>(work: Generator<unknown, A>, done: (result: A) => void): () => void {
  let last = performance.now();
  const run = (): void => {
    const began = performance.now(), until = began + Math.max(slice, (began - last) * share);
    do {
      const step = work.next();
      if (step.done) {
        done(step.value);
        return;
      }
    } while (performance.now() < until);
    last = performance.now();
    timer = setTimeout(run, 0);
  };
  let timer = setTimeout(run, 0);
  return () => clearTimeout(timer);
}
