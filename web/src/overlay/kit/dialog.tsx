import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface Props {
  title: ComponentChildren;
  label: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** The element that had focus before a dialog opened, and its panel in case the element is gone later. */
interface FocusReturn {
  opener: HTMLElement | null;
  panel: HTMLElement | null;
}

let focusReturn: FocusReturn = { opener: null, panel: null };

function currentFocusReturn(last: FocusReturn): FocusReturn {
  const active = document.activeElement;
  if (active?.closest('dialog')) return last;
  const opener = active instanceof HTMLElement && active !== document.body ? active : null;
  return { opener, panel: opener?.closest<HTMLElement>('.panel, .text-part') ?? null };
}

function restoreFocus({ opener, panel }: FocusReturn): void {
  if (opener?.isConnected) opener.focus();
  // The opener may be gone, or disabled and therefore not focusable.
  if ((opener === null || document.activeElement !== opener) && panel?.isConnected) panel.focus();
}

/** A modal dialog. The browser traps the focus; closing returns it to the opener. */
export function Dialog({ title, label, class: name, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  // During render the opener still has the focus; a dialog that replaces another dialog inherits that dialog's
  // opener.
  const from = useRef<FocusReturn | null>(null);
  from.current ??= focusReturn = currentFocusReturn(focusReturn);
  useEffect(() => {
    const el = ref.current;
    // A button clicked with the mouse has been blurred by now, so its panel gets the focus back.
    const back = from.current!;
    if (document.activeElement !== back.opener && !document.activeElement?.closest('dialog')) back.opener = null;
    el?.showModal();
  }, []);
  // A layout effect, because a normal effect is cleaned up only after the dialog and the focus are gone.
  useLayoutEffect(() => {
    const el = ref.current;
    return () => {
      el?.close();
      restoreFocus(from.current!);
    };
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
      <div class="panel-head">
        <h2>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <Icon of={X} />
        </button>
      </div>
      <div class="dialog-body" tabIndex={0}>{children}</div>
    </dialog>
  );
}
