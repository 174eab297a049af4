import { useSignal, useSignalEffect } from '@preact/signals';
import { needName } from '../agent/name.ts';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Announces new needs and purring cats to screen readers. */
export function Announcer() {
  const { store, focus } = useOffice();
  const said = useSignal('');
  const known = useSignal<ReadonlySet<string>>(new Set());
  useSignalEffect(() => {
    const needs = store.needs.value;
    const fresh = needs.filter((n) => !known.peek().has(n.ref)).at(-1);
    known.value = new Set(needs.map((n) => n.ref));
    if (!fresh) return;
    const who = needName(store.agents.peek(), fresh) ?? 'Someone';
    said.value = `${say.thingsNeedYou(needs.length)}. ${who} ${say.needNews[fresh.kind]}: ${fresh.title}`;
  });
  useSignalEffect(() => {
    if (focus.petted.value) said.value = 'The cat purrs.';
  });
  return (
    <div class="unseen" role="status" aria-live="polite">
      {said}
    </div>
  );
}
