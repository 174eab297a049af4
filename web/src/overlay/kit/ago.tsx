import { useComputed } from '@preact/signals';
import { useOffice } from '../office.ts';
import { agoWords } from './time.ts';

/** Shows a server time relative to now; `format` gets the time that has passed, in ms. */
export function Ago({ at, format = agoWords }: { at: number; format?: (ms: number) => string }) {
  const { store, shell } = useOffice();
  // The computed text changes rarely, so most ticks of the clock render nothing.
  const words = useComputed(() => {
    void shell.clock.value;
    return format(store.now() - at);
  });
  if (at <= 0) return null;
  return (
    <time class="ago" dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {words}
    </time>
  );
}
