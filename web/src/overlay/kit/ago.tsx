import { useComputed } from '@preact/signals';
import { useOffice } from '../office.ts';
import { agoWords } from './time.ts';

/** Shows a server time relative to now. */
export function Ago({ at }: { at: number }) {
  const { store, shell } = useOffice();
  // The computed text changes rarely, so most ticks of the clock render nothing.
  const words = useComputed(() => {
    void shell.clock.value;
    return agoWords(store.now() - at);
  });
  if (at <= 0) return null;
  return (
    <time class="ago" dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {words}
    </time>
  );
}
