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

/** Where the focus was, and the panel around it for the case that it is gone by then. */
interface WayBack {
  opener: HTMLElement | null;
  panel: HTMLElement | null;
}

let wayBack: WayBack = { opener: null, panel: null };

function wayBackNow(last: WayBack): WayBack {
  const active = document.activeElement;
  if (active?.closest('dialog')) return last;
  const opener = active instanceof HTMLElement && active !== document.body ? active : null;
  return { opener, panel: opener?.closest<HTMLElement>('.panel, .text-part') ?? null };
}

function goBack({ opener, panel }: WayBack): void {
  if (opener?.isConnected) opener.focus();
  // The opener may be gone, or be a button that is off now and refuses the focus.
  if ((opener === null || document.activeElement !== opener) && panel?.isConnected) panel.focus();
}

/** A modal window. The browser keeps the focus inside; on close it goes back to where it came from. */
export function Dialog({ title, label, class: name, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  // While drawing, what opened the window still has the focus; a window that follows another keeps its way back.
  const from = useRef<WayBack | null>(null);
  from.current ??= wayBack = wayBackNow(wayBack);
  useEffect(() => {
    const el = ref.current;
    // A press with the mouse has let go of its button by now: it gets nothing back, its panel does.
    const back = from.current!;
    if (document.activeElement !== back.opener && !document.activeElement?.closest('dialog')) back.opener = null;
    el?.showModal();
  }, []);
  // An ordinary effect ends only after the window is gone from the page, and with it the focus.
  useLayoutEffect(() => {
    const el = ref.current;
    return () => {
      el?.close();
      goBack(from.current!);
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
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
