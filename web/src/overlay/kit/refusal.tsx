import type { ReadonlySignal } from '@preact/signals';
import { useOffice } from '../office.ts';
import type { Refused } from './composer.ts';
import { Words } from './words.tsx';

/** Shows why the office refused a command, and when to try again. */
export function Refusal({ of }: { of: ReadonlySignal<Refused | null> }) {
  const { shell } = useOffice();
  if (!of.value) return null;
  // The clock only triggers a render; its value may be almost a second old.
  void shell.clock.value;
  const wait = of.value.retryAt ? Math.ceil((of.value.retryAt - Date.now()) / 1000) : 0;
  return (
    <p class="refusal" role="alert">
      <Words>{of.value.message}</Words>
      {of.value.retryAt && (wait > 0 ? ` Try again in ${wait} s.` : ' You can try again now.')}
    </p>
  );
}
