import { h } from 'preact';
import type { IconNode } from 'lucide';

/** A drawing next to a word; it is never the only carrier of a meaning. */
export function Icon({ of, size = 16 }: { of: IconNode; size?: number }) {
  return (
    <svg class="icon" aria-hidden="true" width={size} height={size} viewBox="0 0 24 24">
      {of.map(([tag, attrs], i) => h(tag, { key: i, ...attrs }))}
    </svg>
  );
}
