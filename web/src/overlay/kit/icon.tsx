import { h } from 'preact';
import type { IconNode } from 'lucide';

/** An icon, hidden from screen readers: the word next to it has the meaning. */
export function Icon({ of, size = 16 }: { of: IconNode; size?: number }) {
  return (
    <svg class="icon" aria-hidden="true" width={size} height={size} viewBox="0 0 24 24">
      {of.map(([tag, attrs], i) => h(tag, { key: i, ...attrs }))}
    </svg>
  );
}
