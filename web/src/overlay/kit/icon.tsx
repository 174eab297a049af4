import { h } from 'preact';
import type { IconNode } from 'lucide';

/** An icon next to a word; it never carries a meaning alone. */
export function Icon({ of, size = 16 }: { of: IconNode; size?: number }) {
  return (
    <svg class="icon" aria-hidden="true" width={size} height={size} viewBox="0 0 24 24">
      {of.map(([tag, attrs], i) => h(tag, { key: i, ...attrs }))}
    </svg>
  );
}
