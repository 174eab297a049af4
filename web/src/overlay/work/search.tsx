import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { MATCHES, matchesOf, type Match, type Parts } from './find.ts';

/** The search field of the viewer; Enter steps through the rows that contain its text. */
export function Search({ parts, onClose }: { parts: Parts; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const found = useSignal<readonly Match[]>([]);
  const which = useSignal(-1);
  useEffect(() => field.current?.focus(), []);
  const go = (to: number) => {
    const match = found.peek()[to];
    which.value = match ? to : -1;
    for (const [p, part] of parts.current.entries()) part.at.value = match?.[0] === p ? match[1] : null;
  };
  const onKeyDown = (e: KeyboardEvent) => {
    e.stopPropagation(); // letters are text here, not commands
    if (e.key === 'Escape') onClose();
    else if (e.key === 'Enter' && found.peek().length > 0) go((which.peek() + (e.shiftKey ? -1 : 1) + found.peek().length) % found.peek().length);
    else return;
    e.preventDefault();
  };
  const total = found.value.length;
  return (
    <search class="work-search">
      <input
        ref={field}
        class="field"
        type="search"
        aria-label="Find in this text"
        placeholder="Find (Enter: next)"
        onKeyDown={onKeyDown}
        onInput={(e) => {
          found.value = matchesOf(parts.current, e.currentTarget.value);
          go(0);
        }}
      />
      <span role="status" class="soft">
        {field.current?.value ? `${which.value + 1} of ${total === MATCHES ? `${MATCHES}+` : total}` : ''}
      </span>
    </search>
  );
}
