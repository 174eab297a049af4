import type { ComponentChildren } from 'preact';
import { plain } from '../../world/plain.ts';

/** Shows untrusted text. It has its own text direction, can wrap anywhere, and is never shown as markup. */
export function Words({ children, class: name }: { children: ComponentChildren; class?: string }) {
  return (
    <bdi dir="auto" class={name ? `words ${name}` : 'words'}>
      {plainly(children)}
    </bdi>
  );
}

function plainly(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return plain(children);
  return Array.isArray(children) ? children.map(plainly) : children;
}
