import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { plain } from '../../world/plain.ts';
import { bytesWords } from '../kit/time.ts';
import { plainSlices } from './slices.ts';

/** Text as it is, in pieces; the person asks for the next one. */
export function PlainView({ text, note }: { text: string; note?: string }) {
  const parts = useMemo(() => plainSlices(text), [text]);
  const shown = useSignal(1);
  const left = parts.slice(shown.value).reduce((sum, p) => sum + p.length, 0);
  return (
    <div class="plain">
      {note && <p class="soft">{note}</p>}
      {parts.slice(0, shown.value).map((part, i) => (
        <pre key={i} class="code plain-part" dir="auto">
          {plain(part)}
        </pre>
      ))}
      {left > 0 && (
        <button type="button" class="button" onClick={() => (shown.value += 1)}>
          Show more ({bytesWords(left)} left)
        </button>
      )}
    </div>
  );
}
