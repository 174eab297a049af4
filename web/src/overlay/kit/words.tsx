import type { ComponentChildren } from 'preact';

/** Text that somebody else wrote: kept apart in writing direction, broken where it must be, never markup. */
export function Words({ children, class: name }: { children: ComponentChildren; class?: string }) {
  return (
    <bdi dir="auto" class={name ? `words ${name}` : 'words'}>
      {children}
    </bdi>
  );
}
