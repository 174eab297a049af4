import { useSignal } from '@preact/signals';
import { Marked } from '../kit/marked.tsx';
import { bytesWords } from '../kit/time.ts';

/** So much is laid out at once; the person asks for the next piece. */
const PIECE = 16 * 1024;

/** What a tool wrote, in a box that scrolls. */
export function Output({ name, text }: { name: string; text: string }) {
  const shown = useSignal(PIECE);
  const left = text.length - shown.value;
  return (
    <>
      <pre class={name === 'stderr' ? 'output output-bad' : 'output'} dir="auto" tabIndex={0} aria-label={name}>
        <Marked text={left > 0 ? text.slice(0, shown.value) : text} />
      </pre>
      {left > 0 && (
        <button type="button" class="link" onClick={() => (shown.value += 4 * PIECE)}>
          Show more ({bytesWords(left)} left)
        </button>
      )}
    </>
  );
}
