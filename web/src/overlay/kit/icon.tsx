import { h } from 'preact';
import type { IconNode } from 'lucide';

/** Shows an icon that is hidden from screen readers, because the text next to it says the same thing. */
export function Icon({ of, size = 16 }: { of: IconNode; size?: number }) {
  return (
    <svg class="icon" aria-hidden="true" width={size} height={size} viewBox="0 0 24 24">
      {of.map(([tag, attrs], i) => h(tag, { key: i, ...attrs }))}
    </svg>
  );
}
