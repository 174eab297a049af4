import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface Props {
  title: ComponentChildren;
  label: string;
  id?: string;
  class?: string;
  tools?: ComponentChildren;
  onClose?: () => void;
  children: ComponentChildren;
}

/** A card with a heading. It is a landmark, and has a close button if onClose is set. */
export function Panel({ title, label, id, class: name, tools, onClose, children }: Props) {
  return (
    <section class={`card panel ${name ?? ''}`} aria-label={label} id={id} tabIndex={-1}>
      <header class="panel-head">
        <h2>{title}</h2>
        {tools}
        {onClose && (
          <button type="button" class="icon-button" aria-label={`Close ${label}`} title="Close" onClick={onClose}>
            <Icon of={X} />
          </button>
        )}
      </header>
      <div class="panel-body">{children}</div>
    </section>
  );
}
