import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  label: string;
  value: string;
  placeholder?: string;
  rows?: number;
  maxRows?: number;
  /** Makes the field read-only. It stays focusable, because letters typed outside a field are shortcuts. */
  locked?: boolean;
  describedBy?: string;
  /** Focuses the field when it is mounted. */
  first?: boolean;
  box?: RefObject<HTMLTextAreaElement | null>;
  onInput: (e: Event) => void;
  onKeyDown?: (e: KeyboardEvent) => void;
}

const LINE_PX = 21;

/** A text field that grows with its text, up to maxRows. */
export function TextBox({ label, value, placeholder, rows = 1, maxRows = 4, locked = false, describedBy, first = false, box, onInput, onKeyDown }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
  // A layout effect sets the focus before the next key press, so no letter is lost.
  useLayoutEffect(() => {
    if (first) own.current?.focus();
  }, []);
  useLayoutEffect(() => {
    const el = own.current;
    if (!el) return;
    el.style.height = 'auto';
    if (value !== '') el.style.height = `${Math.min(el.scrollHeight, maxRows * LINE_PX + 16)}px`;
  }, [value, maxRows]);
  return (
    <textarea
      ref={(el) => {
        own.current = el;
        if (box) box.current = el;
      }}
      class="text-box"
      dir="auto"
      rows={rows}
      aria-label={label}
      aria-describedby={describedBy}
      placeholder={placeholder}
      value={value}
      readOnly={locked}
      // A dialog focuses the element with this attribute.
      autofocus={first}
      aria-disabled={locked || undefined}
      onInput={onInput}
      onKeyDown={onKeyDown}
    />
  );
}
