import { useSignal, type Signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { DiffFile, Hunk } from './content.ts';
import { languageOf } from './language.ts';
import { usePart, type Parts } from './find.ts';
import { FileWords } from './head.tsx';
import type { Run } from './highlight.ts';
import type { Room } from './limits.ts';
import { LineText, runStyles } from './line_text.tsx';
import { changeStarts, diffRows, linesOf, rowText, type Line, type Row } from './rows.ts';
import { useColours } from './use_colours.ts';
import { Windowed } from './windowed.tsx';
import * as say from '../../contracts/words.gen.ts';

/** The minimum width for showing a diff side by side, in CSS pixels. */
const SIDE_BY_SIDE = 820;
const signWords = { '+': 'added', '-': 'removed', ' ': '' };

interface Props {
  files: readonly DiffFile[];
  room: Room;
  /** Whether lines are wrapped; unwrapped lines are shown in one column. */
  wrap: boolean;
  label: string;
  /** The row that the person stepped to; null if there is none. */
  at: Signal<number | null>;
  parts: Parts;
  /** The rows where changes begin, for stepping with keys; set by this view. */
  stops: { current: readonly number[] };
}

/** Shows a diff: side by side if there is space and lines are wrapped, else in one column. */
export function DiffView({ files, room, wrap, label, at, stops, parts }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const split = useWide(ref) && wrap;
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => diffRows(files, opened.value, split), [files, opened.value, split]);
  stops.current = useMemo(() => changeStarts(rows), [rows]);
  usePart(parts, useMemo(() => rows.map(rowText), [rows]), ref, at);
  const colours = useLineColours(files);
  const last = useMemo(() => lastNumber(files), [files]);
  const draw = (i: number) => (
    <DiffRow key={i} row={rows[i]!} index={i} here={at.value === i} chars={room.chars} colours={colours} onOpen={(id) => (opened.value = new Set([...opened.peek(), id]))} />
  );
  return (
    <div ref={ref} role="table" aria-label={label} class={`diff${split ? ' diff-split' : ''}${last > 0 ? '' : ' diff-bare'}`} style={{ '--digits': String(last).length }}>
      <Windowed count={rows.length} first={room.rows} row={draw} unit="rows" at={at} role="rowgroup" />
    </div>
  );
}

/** Returns the largest line number; 0 if none is known. */
function lastNumber(files: readonly DiffFile[]): number {
  const ends = files.flatMap((f) => f.hunks.map((h) => (h.old > 0 || h.new > 0 ? Math.max(h.old, h.new) + h.lines.length : 0)));
  return ends.reduce((a, b) => Math.max(a, b), 0);
}

function useWide(ref: { current: HTMLElement | null }): boolean {
  const wide = useSignal(false);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => (wide.value = (entry?.contentRect.width ?? 0) >= SIDE_BY_SIDE));
    watch.observe(ref.current!);
    return () => watch.disconnect();
  }, []);
  return wide.value;
}

type LineColours = ReadonlyMap<Line, readonly Run[]>;

/** Returns the highlighting of every line; each side of a hunk is highlighted as a whole. */
function useLineColours(files: readonly DiffFile[]): LineColours {
  const hunks = useMemo(() => files.flatMap((f) => f.hunks), [files]);
  const texts = useMemo(() => hunks.flatMap((h) => [side(h, '+'), side(h, '-')].map((lines) => lines.map((l) => l.text).join('\n'))), [hunks]);
  const colours = useColours(texts, languageOf(files[0]?.path ?? ''));
  return useMemo(() => {
    const found = new Map<Line, readonly Run[]>();
    hunks.forEach((hunk, h) => {
      side(hunk, '+').forEach((line, i) => found.set(line, colours[2 * h]?.[i] ?? []));
      side(hunk, '-').forEach((line, i) => found.set(line, colours[2 * h + 1]?.[i] ?? []));
    });
    return found;
  }, [hunks, colours]);
}

/** Returns the lines of one side of a hunk: all lines without the other side's sign. */
const side = (hunk: Hunk, other: '+' | '-'): readonly Line[] => linesOf(hunk).filter((line) => line.sign !== other);

interface RowProps {
  row: Row;
  index: number;
  here: boolean;
  chars: number;
  colours: LineColours;
  onOpen: (id: string) => void;
}

function DiffRow({ row, index, here, chars, colours, onOpen }: RowProps) {
  const name = here ? 'diff-row here' : 'diff-row';
  switch (row.is) {
    case 'line':
      return (
        <div role="row" class={`${name}${toneOf(row.line)}`} data-row={index}>
          <No of={row.line.old} />
          <No of={row.line.new} />
          <Cell line={row.line} chars={chars} colours={colours} />
        </div>
      );
    case 'pair':
      return (
        <div role="row" class={name} data-row={index}>
          <Half line={row.left} no={row.left?.old ?? null} chars={chars} colours={colours} />
          <Half line={row.right} no={row.right?.new ?? null} chars={chars} colours={colours} />
        </div>
      );
    case 'fold':
      return (
        <div role="row" class="diff-note" data-row={index}>
          <span role="cell">
            <button type="button" class="link" onClick={() => onOpen(row.id)}>
              … {say.unchangedLines(row.count)}
            </button>
          </span>
        </div>
      );
    case 'jump':
      return (
        <div role="row" class="diff-note" data-row={index}>
          <span role="cell">{row.to > 0 ? `line ${row.to}` : '⋯'}</span>
        </div>
      );
    case 'file':
      return (
        <div role="row" class="diff-file" data-row={index}>
          <span role="cell">
            <FileWords file={row.file} />
          </span>
        </div>
      );
  }
}

const toneOf = (line: Line): string => (line.sign === '+' ? ' added' : line.sign === '-' ? ' removed' : '');

function No({ of }: { of: number | null }) {
  return <span role="cell" class="diff-no" data-no={of ?? ''} />;
}

function Half({ line, no, chars, colours }: { line: Line | null; no: number | null; chars: number; colours: LineColours }) {
  return (
    <div class={`diff-half${line ? toneOf(line) : ' diff-none'}`}>
      <No of={no} />
      {line ? <Cell line={line} chars={chars} colours={colours} /> : <span role="cell" />}
    </div>
  );
}

function Cell({ line, chars, colours }: { line: Line; chars: number; colours: LineColours }) {
  return (
    <span role="cell" class="diff-cell">
      <span class="diff-mark" aria-hidden="true" data-sign={line.sign === '-' ? '−' : line.sign} />
      {line.sign !== ' ' && <span class="unseen">{signWords[line.sign]} </span>}
      <bdi class="diff-text">
        <LineText text={line.sign === ' ' ? line.text.replace(/\r$/, '') : line.text} styles={runStyles(colours.get(line))} marks={line.marks} chars={chars} />
      </bdi>
    </span>
  );
}
