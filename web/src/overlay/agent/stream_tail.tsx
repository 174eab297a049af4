import { useLayoutEffect, useRef } from 'preact/hooks';
import { useOffice } from '../office.ts';

const TAIL = 1600;

/** What somebody writes at this moment. */
export function StreamTail({ agentId }: { agentId: string }) {
  const { store } = useOffice();
  const stream = store.streams.value.get(agentId);
  const ref = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (ref.current) ref.current.scrollTop = ref.current.scrollHeight;
  });
  if (!stream || stream.text === '') return null;
  return (
    <section>
      <h3>
        {stream.done ? 'Last words' : stream.kind === 'thought' ? 'Thinking' : 'Writing'}
        {stream.rehearsal && <span class="tag rehearsal">Rehearsal</span>}
      </h3>
      <pre ref={ref} class={stream.done ? 'tail done' : 'tail'} dir="auto" tabIndex={0} aria-label="Live text">
        {stream.text.slice(-TAIL)}
      </pre>
    </section>
  );
}
