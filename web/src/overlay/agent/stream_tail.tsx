import { useLayoutEffect, useRef } from 'preact/hooks';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

const TAIL = 1600;

/** Shows the output that an agent is streaming. */
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
        {stream.done ? say.lastOutput : stream.kind === 'thought' ? say.thinking : say.writing}
        {stream.rehearsal && <span class="tag rehearsal">{say.rehearsal}</span>}
      </h3>
      <pre ref={ref} class={stream.done ? 'tail done' : 'tail'} dir="auto" tabIndex={0} aria-label="Live output">
        {stream.text.slice(-TAIL)}
      </pre>
    </section>
  );
}
