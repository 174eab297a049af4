import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  label: string;
  value: string;
  placeholder?: string;
  rows?: number;
  maxRows?: number;
  /** Nothing can be written now. The field keeps the focus: letters that fall through to the office would be commands. */
  locked?: boolean;
  describedBy?: string;
  /** It was asked for, so it takes the focus. */
  first?: boolean;
  box?: RefObject<HTMLTextAreaElement | null>;
  onInput: (e: Event) => void;
  onKeyDown?: (e: KeyboardEvent) => void;
}

const LINE_PX = 21;

/** A field that grows with what is written, up to some lines. */
export function TextBox({ label, value, placeholder, rows = 1, maxRows = 4, locked = false, describedBy, first = false, box, onInput, onKeyDown }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
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
      // A window that opens gives the focus to what carries this.
      autofocus={first}
      aria-disabled={locked || undefined}
      onInput={onInput}
      onKeyDown={onKeyDown}
    />
  );
}
