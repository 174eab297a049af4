const began = performance.now();

/** Prints what a slow script is doing, prefixed with the minutes and seconds since it started. */
export function progress(words) {
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} ${words}`);
}
