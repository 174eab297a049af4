import { useEffect, useMemo, useRef } from 'preact/hooks';
import { sgrLook } from '../../look/ansi.ts';
import type { Content, Output, Span } from './content.ts';
import { textLines } from './diff.ts';
import { usePart, type Parts } from './find.ts';
import { colours as coloursOf } from './highlight.ts';
import { languageOf } from './language.ts';
import { FULL_LIMITS, type RenderLimits } from './limits.ts';
import { LineText, runStyles, type Style } from './line_text.tsx';
import { Windowed } from './windowed.tsx';

type File = Extract<Content, { kind: 'file' }>;

/**
 * Shows all or part of a file, with line numbers and syntax colours; the lines that a call or a link refers to are
 * marked.
 */
export function FileView({ file, limits, parts }: { file: File; limits: RenderLimits; parts: Parts }) {
  const ref = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => textLines(file.text), [file.text]);
  const at = usePart(parts, lines, ref);
  const colours = useMemo(() => coloursOf(file.text, languageOf(file.path)), [file.text, file.path]);
  const [first, last] = file.area ?? [0, 0];
  // If the area covers all lines, none is marked.
  const marked = last > 0 && (first > file.start || last < file.start + lines.length - 1);
  // At full size, scroll to the marked lines.
  useEffect(() => {
    if (marked && limits === FULL_LIMITS) at.value = first - file.start;
  }, []);
  const row = (i: number) => {
    const no = file.start + i;
    return (
      <div key={i} class={`file-line${marked && no >= first && no <= last ? ' in-area' : ''}${at.value === i ? ' here' : ''}`} data-row={i}>
        <span class="diff-no" data-no={no} />
        <bdi class="diff-text">
          <LineText text={lines[i]!.replace(/\r$/, '')} styles={runStyles(colours[i])} chars={limits.chars} />
        </bdi>
      </div>
    );
  };
  return (
    <div ref={ref} style={{ '--digits': String(file.start + lines.length).length }}>
      <Windowed count={lines.length} first={limits.rows} row={row} at={at} />
    </div>
  );
}

/** Shows a command's output in the colours that the command chose. */
export function OutputView({ output: { name, text, spans }, limits, parts }: { output: Output; limits: RenderLimits; parts: Parts }) {
  const ref = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => textLines(text), [text]);
  const at = usePart(parts, lines, ref);
  const byLine = useMemo(() => grouped(spans), [spans]);
  const row = (i: number) => (
    <div key={i} class={at.value === i ? 'out-line here' : 'out-line'} data-row={i}>
      <LineText text={lines[i]!} styles={spanStyles(lines[i]!, byLine.get(i))} chars={limits.chars} />
    </div>
  );
  return (
    <div ref={ref} class={name === 'stderr' ? 'out out-bad' : 'out'} dir="auto" role="group" aria-label={name}>
      <Windowed count={lines.length} first={limits.rows} row={row} at={at} />
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
export function TextView({ text, limits, parts }: { text: string; limits: RenderLimits; parts: Parts }) {
  const output = useMemo(() => ({ name: 'text', text, spans: [] }), [text]);
  return <OutputView output={output} limits={limits} parts={parts} />;
}
