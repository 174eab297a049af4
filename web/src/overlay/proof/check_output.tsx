import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { plain } from '../../world/plain.ts';
import { errorWords, refusalWords } from '../kit/api.ts';
import * as say from '../../contracts/words.gen.ts';

const outputPath = (taskId: string, check: string): string => `/v1/tasks/${encodeURIComponent(taskId)}/checks/${encodeURIComponent(check)}/output`;

/** Shows the stored tail of a check's output. Loads the output again when `hash` changes. */
export function CheckOutput({ taskId, check, hash }: { taskId: string; check: string; hash: string }) {
  const text = useSignal<string | null>(null);
  const error = useSignal<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    text.value = error.value = null;
    read(outputPath(taskId, check), stop.signal).then(
      (output) => (text.value = output),
      (e: unknown) => {
        if (!stop.signal.aborted) error.value = say.outputFailed(errorWords(e));
      },
    );
    return () => stop.abort();
  }, [taskId, check, hash]);
  if (error.value) {
    return (
      <p class="refusal" role="alert">
        {error.value}
      </p>
    );
  }
  if (text.value === null) return <p class="soft">{say.opening}</p>;
  return (
    <pre class="check-output" tabIndex={0} aria-label={say.outputOf(check)} ref={(el) => el?.scrollTo(0, el.scrollHeight)}>
      {plain(text.value)}
    </pre>
  );
}

async function read(path: string, signal: AbortSignal): Promise<string> {
  const reply = await fetch(path, { credentials: 'same-origin', signal });
  if (!reply.ok) throw new Error(await refusalWords(reply));
  return reply.text();
}
