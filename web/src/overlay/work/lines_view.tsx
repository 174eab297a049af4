import { useEffect, useMemo, useRef } from 'preact/hooks';
import { sgrLook } from '../../look/ansi.ts';
import type { Content, Output, Span } from './content.ts';
import { textLines } from './diff.ts';
import { usePart, type Parts } from './find.ts';
import { colours as coloursOf } from './highlight.ts';
import { languageOf } from './language.ts';
import { FULL_ROOM, type Room } from './limits.ts';
import { LineText, runStyles, type Style } from './line_text.tsx';
import { Windowed } from './windowed.tsx';

type File = Extract<Content, { kind: 'file' }>;

/** Shows a file or a part of it, with line numbers and colours; the lines that a call was about are marked. */
export function FileView({ file, room, parts }: { file: File; room: Room; parts: Parts }) {
  const ref = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => textLines(file.text), [file.text]);
  const at = usePart(parts, lines, ref);
  const colours = useMemo(() => coloursOf(file.text, languageOf(file.path)), [file.text, file.path]);
  const [first, last] = file.area ?? [0, 0];
  // If the area covers all lines, none is marked.
  const marked = last > 0 && (first > file.start || last < file.start + lines.length - 1);
  // At full size, scroll to the marked lines.
  useEffect(() => {
    if (marked && room === FULL_ROOM) at.value = first - file.start;
  }, []);
  const row = (i: number) => {
    const no = file.start + i;
    return (
      <div key={i} class={`file-line${marked && no >= first && no <= last ? ' in-area' : ''}${at.value === i ? ' here' : ''}`} data-row={i}>
        <span class="diff-no" data-no={no} />
        <bdi class="diff-text">
          <LineText text={lines[i]!.replace(/\r$/, '')} styles={runStyles(colours[i])} chars={room.chars} />
        </bdi>
      </div>
    );
  };
  return (
    <div ref={ref} style={{ '--digits': String(file.start + lines.length).length }}>
      <Windowed count={lines.length} first={room.rows} row={row} at={at} />
    </div>
  );
}

/** Shows the output of a command in the colours that the command set. */
export function OutputView({ output: { name, text, spans }, room, parts }: { output: Output; room: Room; parts: Parts }) {
  const ref = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => textLines(text), [text]);
  const at = usePart(parts, lines, ref);
  const byLine = useMemo(() => grouped(spans), [spans]);
  const row = (i: number) => (
    <div key={i} class={at.value === i ? 'out-line here' : 'out-line'} data-row={i}>
      <LineText text={lines[i]!} styles={spanStyles(lines[i]!, byLine.get(i))} chars={room.chars} />
    </div>
  );
  return (
    <div ref={ref} class={name === 'stderr' ? 'out out-bad' : 'out'} dir="auto" role="group" aria-label={name}>
      <Windowed count={lines.length} first={room.rows} row={row} at={at} />
    </div>
  );
}

function grouped(spans: readonly Span[]): ReadonlyMap<number, readonly Span[]> {
  const lines = new Map<number, Span[]>();
  for (const span of spans) {
    const line = lines.get(span[0]);
    if (line) line.push(span);
    else lines.set(span[0], [span]);
  }
  return lines;
}

/** Converts spans, which count code points, to styles, which count UTF-16 units. */
function spanStyles(line: string, spans: readonly Span[] | undefined): readonly Style[] {
  if (!spans) return [];
  const letters = [...line];
  const place = (n: number) => (letters.length === line.length ? n : letters.slice(0, n).join('').length);
  return spans.map(([, from, to, sgr]) => ({ from: place(from), to: place(to), ...sgrLook(sgr) }));
}

/** Shows plain text, line by line. */
export function TextView({ text, room, parts }: { text: string; room: Room; parts: Parts }) {
  const output = useMemo(() => ({ name: 'text', text, spans: [] }), [text]);
  return <OutputView output={output} room={room} parts={parts} />;
}
