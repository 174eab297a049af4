import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  label: string;
  value: string;
  placeholder?: string;
  rows?: number;
  maxRows?: number;
  /** Nothing can be written now. The field keeps the focus: letters that fall through to the office would be commands. */
  locked?: boolean;
  describedBy?: string;
  box?: RefObject<HTMLTextAreaElement | null>;
  onInput: (e: Event) => void;
  onKeyDown?: (e: KeyboardEvent) => void;
}

const LINE_PX = 21;

/** A field that grows with what is written, up to some lines. */
export function TextBox({ label, value, placeholder, rows = 1, maxRows = 4, locked = false, describedBy, box, onInput, onKeyDown }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
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
      aria-disabled={locked || undefined}
      onInput={onInput}
      onKeyDown={onKeyDown}
    />
  );
}
