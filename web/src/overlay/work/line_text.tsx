import { useSignal } from '@preact/signals';
import { Marked } from '../kit/marked.tsx';
import { bytesWords } from '../kit/time.ts';
import type { Run } from './highlight.ts';
import type { Mark } from './words.ts';

/** The style of a part of a line. */
export interface Style {
  from: number;
  to: number;
  class: string;
  style?: Readonly<Record<string, string>>;
}

interface Props {
  text: string;
  /** Sorted and not overlapping. */
  styles?: readonly Style[];
  marks?: readonly Mark[];
  /** How many characters are rendered before the user asks for more. */
  chars: number;
}

export const runStyles = (runs: readonly Run[] | undefined): readonly Style[] => (runs ?? []).map(([from, to, name]) => ({ from, to, class: name }));

/** Shows one line of untrusted text, highlighted, with changed words marked and invisible characters made visible. */
export function LineText({ text, styles = [], marks = [], chars }: Props) {
  const shown = useSignal(chars);
  const left = text.length - shown.value;
  const part = left > 0 ? text.slice(0, shown.value) : text;
  return (
    <>
      {styles.length === 0 && marks.length === 0 ? <Marked text={part} /> : stretches(part, styles, marks)}
      {left > 0 && (
        <button type="button" class="link" onClick={() => (shown.value += 64_000)}>
          … show more of this line ({bytesWords(left)})
        </button>
      )}
    </>
  );
}

/** Nests styles inside marks, so that a changed word is one element even if it has several colours. */
function stretches(text: string, styles: readonly Style[], marks: readonly Mark[]) {
  return cuts(text.length, marks).map(([from, to]) => {
    const inner = styled(text, styles, from, to);
    return marks.some(([a]) => a === from) ? (
      <b key={from} class="changed-word">
        {inner}
      </b>
    ) : (
      inner
    );
  });
}

function styled(text: string, styles: readonly Style[], start: number, end: number) {
  const inside = styles.filter((s) => s.to > start && s.from < end);
  const places = inside.map((s) => [Math.max(s.from, start) - start, Math.min(s.to, end) - start] as const);
  return cuts(end - start, places).map(([from, to]) => {
    const piece = <Marked key={from} text={text.slice(start + from, start + to)} />;
    const style = inside[places.findIndex(([a]) => a === from)];
    return style ? (
      <span key={from} class={style.class} style={style.style}>
        {piece}
      </span>
    ) : (
      piece
    );
  });
}

/** Splits the range from 0 to length at the boundaries of sorted, non-overlapping ranges. */
function cuts(length: number, stretches: readonly Mark[]): readonly Mark[] {
  const at = [...new Set([0, ...stretches.flat(), length])].filter((n) => n <= length).sort((a, b) => a - b);
  return at.slice(0, -1).map((from, i) => [from, at[i + 1]!] as const);
}
