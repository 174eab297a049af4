import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface Props {
  title: ComponentChildren;
  label: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal window. The browser keeps the focus inside and gives it back on close. */
export function Dialog({ title, label, class: name, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const el = ref.current;
    el?.showModal();
    return () => el?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      class={`card dialog ${name ?? ''}`}
      aria-label={label}
      onCancel={(e) => {
        e.preventDefault();
        onClose();
      }}
      onClick={(e) => {
        if (e.target === ref.current) onClose();
      }}
    >
      <header class="panel-head">
        <h2>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <Icon of={X} />
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
