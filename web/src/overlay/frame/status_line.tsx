import { Words } from '../kit/words.tsx';

/** A line that a workflow keeps up to date: what it does and how far it is. */
export function StatusLine({ text, percent, tone = 'plain' }: { text: string; percent?: number; tone?: 'plain' | 'good' | 'bad' }) {
  return (
    <p class={`status-line status-${tone}`} role="status">
      <Words class="clip">{text}</Words>
      {percent !== undefined && <progress class="bar" max={100} value={percent} aria-label={`${Math.round(percent)} %`} />}
    </p>
  );
}
