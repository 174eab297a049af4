import { useSignal } from '@preact/signals';
import { bytesWords } from '../kit/time.ts';
import type { Run } from './highlight.ts';
import { pieces } from './visible.ts';
import type { Mark } from './words.ts';

/** A stretch that is drawn in a way of its own. */
export interface Style {
  from: number;
  to: number;
  class: string;
  style?: Readonly<Record<string, string>>;
}

interface Props {
  text: string;
  /** Sorted, without overlap. */
  styles?: readonly Style[];
  marks?: readonly Mark[];
  /** Letters drawn before somebody asks for more. */
  chars: number;
}

export const runStyles = (runs: readonly Run[] | undefined): readonly Style[] => (runs ?? []).map(([from, to, name]) => ({ from, to, class: name }));

/** Foreign text of one line: coloured, its changed words marked, nothing in it unseen. */
export function LineText({ text, styles = [], marks = [], chars }: Props) {
  const shown = useSignal(chars);
  const left = text.length - shown.value;
  const part = left > 0 ? text.slice(0, shown.value) : text;
  return (
    <>
      {styles.length === 0 && marks.length === 0 ? <Pieces text={part} /> : stretches(part, styles, marks)}
      {left > 0 && (
        <button type="button" class="link" onClick={() => (shown.value += 64_000)}>
          … show more of this line ({bytesWords(left)})
        </button>
      )}
    </>
  );
}

function stretches(text: string, styles: readonly Style[], marks: readonly Mark[]) {
  const cuts = new Set([0, text.length]);
  for (const { from, to } of styles) cuts.add(from).add(to);
  for (const [from, to] of marks) cuts.add(from).add(to);
  const sorted = [...cuts].filter((at) => at <= text.length).sort((a, b) => a - b);
  return sorted.slice(0, -1).map((from, i) => {
    const piece = <Pieces text={text.slice(from, sorted[i + 1])} />;
    const style = styles.find((s) => s.from <= from && from < s.to);
    const inner = style ? (
      <span key={from} class={style.class} style={style.style}>
        {piece}
      </span>
    ) : (
      piece
    );
    return marks.some(([a, b]) => a <= from && from < b) ? (
      <b key={from} class="changed-word">
        {inner}
      </b>
    ) : (
      inner
    );
  });
}

function Pieces({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece, i) => {
        if (typeof piece === 'string') return piece;
        if ('redacted' in piece) {
          return (
            <mark key={i} class="redacted" title="A credential stood here. It was removed before anything was recorded.">
              redacted
            </mark>
          );
        }
        return (
          <span key={i} class="unseen-char" title={`A character that is not seen: ${piece.code}`}>
            {piece.unseen}
          </span>
        );
      })}
    </>
  );
}
