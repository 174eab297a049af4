import { useSignal, type Signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { CommentCard, CommentForm } from './comment.tsx';
import type { DiffFile } from './content.ts';
import { FindingCard } from './finding.tsx';
import { usePart, type Parts } from './find.ts';
import { FileWords } from './head.tsx';
import type { RenderLimits } from './limits.ts';
import { lineColours } from './line_colours.ts';
import { LineText, runStyles } from './line_text.tsx';
import { isGenerated, type Review, type Spot } from './review.ts';
import { changeStarts, commentedRows, diffRows, firstRow, markWords, rowText, spotsOf, type HunkOf, type Line, type Row } from './rows.ts';
import { Windowed } from './windowed.tsx';
import * as say from '../../contracts/words.gen.ts';

/** The minimum width for showing a diff side by side, in CSS pixels. */
const SIDE_BY_SIDE = 820;
const signWords = { '+': 'added', '-': 'removed', ' ': '' };

/** The rows of a diff, for stepping with keys. */
export interface Steps {
  /** The rows where changes begin. */
  changes: readonly number[];
  count: number;
  /** Returns the line that a comment on a row is about, or undefined if there is none. */
  spot: (row: number) => Spot | undefined;
  /** Unfolds a file and selects its first row. */
  open: (file: number) => void;
}

export const NO_STEPS: Steps = { changes: [], count: 0, spot: () => undefined, open: () => {} };

interface Props {
  files: readonly DiffFile[];
  limits: RenderLimits;
  /** Whether lines are wrapped; unwrapped lines are shown in one column. */
  wrap: boolean;
  label: string;
  /** The row that the user stepped to; null if there is none. */
  at: Signal<number | null>;
  parts: Parts;
  /** DiffView sets `current` to the steps through the rows that it shows. */
  steps: { current: Steps };
  review?: Review | undefined;
}

/** Shows a diff: side by side if there is space and lines are wrapped, else in one column. */
export function DiffView({ files, limits, wrap, label, at, steps, parts, review }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const split = useWide(ref) && wrap;
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const others = [...opened.peek()].filter((other) => other !== id);
    opened.value = new Set(opened.peek().has(id) ? others : [...others, id]);
  };
  const rowsNow = () => commentedRows(diffRows(files, opened.peek(), split, review), review?.findings ?? [], review?.comments.peek() ?? [], review?.writing.peek() ?? null);
  const rows = useMemo(rowsNow, [files, opened.value, split, review, review?.comments.value, review?.writing.value]);
  const changes = useMemo(() => changeStarts(rows), [rows]);
  const open = (file: number) => {
    const header = rows.find((row) => row.is === 'file' && row.id === String(file));
    if (header?.is === 'file' && header.folded) toggle(header.id);
    at.value = firstRow(rowsNow(), String(file));
  };
  steps.current = { changes, count: rows.length, spot: (row) => (rows[row] ? spotsOf(rows[row])[0] : undefined), open };
  usePart(parts, useMemo(() => rows.map(rowText), [rows]), ref, at);
  const last = useMemo(() => lastNumber(files), [files]);
  const draw = (i: number) => <DiffRow key={i} row={rows[i]!} index={i} here={at.value === i} chars={limits.chars} review={review} onOpen={toggle} />;
  const onClick = (e: MouseEvent) => {
    const number = e.target instanceof Element ? e.target.closest('.diff-no') : null;
    const row = rows[Number(number?.closest('[data-row]')?.getAttribute('data-row') ?? -1)];
    if (!row || !review?.open) return;
    const spots = spotsOf(row);
    review.writing.value = (number?.closest('.removed') && spots.find((spot) => spot.removed)) || spots[0] || null;
  };
  return (
    <div
      ref={ref}
      role="table"
      aria-label={label}
      class={`diff${split ? ' diff-split' : ''}${last > 0 ? '' : ' diff-bare'}${review?.open ? ' diff-review' : ''}`}
      style={{ '--digits': String(last).length }}
      onClick={onClick}
    >
      <Windowed count={rows.length} first={limits.rows} row={draw} unit="rows" at={at} role="rowgroup" />
    </div>
  );
}

/** Returns the largest line number, or 0 if none is known. */
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

interface RowProps {
  row: Row;
  index: number;
  here: boolean;
  chars: number;
  review: Review | undefined;
  onOpen: (id: string) => void;
}

function DiffRow({ row, index, here, chars, review, onOpen }: RowProps) {
  const name = here ? 'diff-row here' : 'diff-row';
  switch (row.is) {
    case 'line':
      return (
        <div role="row" class={`${name}${toneOf(row.line)}`} data-row={index}>
          <LineNumber of={row.line.old} />
          <LineNumber of={row.line.new} />
          <Cell line={row.line} chars={chars} of={row.of} />
        </div>
      );
    case 'pair':
      return (
        <div role="row" class={name} data-row={index}>
          <Half line={row.left} no={row.left?.old ?? null} chars={chars} of={row.of} />
          <Half line={row.right} no={row.right?.new ?? null} chars={chars} of={row.of} />
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
            {review && <Fold row={row} onOpen={onOpen} />}
          </span>
        </div>
      );
    case 'finding':
      return (
        <div role="row" class="diff-talk" data-row={index}>
          <span role="cell">
            <FindingCard finding={row.finding} />
          </span>
        </div>
      );
    case 'comment':
    case 'form':
      return (
        <div role="row" class="diff-talk" data-row={index}>
          <span role="cell">{review && (row.is === 'form' ? <CommentForm review={review} spot={row.spot} /> : <CommentCard review={review} comment={row.comment} />)}</span>
        </div>
      );
  }
}

/** The button that folds and unfolds a file in a review, with a tag if the file is generated. */
function Fold({ row, onOpen }: { row: Extract<Row, { is: 'file' }>; onOpen: (id: string) => void }) {
  const lines = row.file.added + row.file.removed;
  if (row.file.hunks.length === 0) return null;
  return (
    <>
      {isGenerated(row.file.path) && <span class="tag">{say.generatedFile}</span>}
      <button type="button" class="link diff-fold" aria-expanded={!row.folded} onClick={() => onOpen(row.id)}>
        {row.folded ? say.showLines(lines) : 'Fold'}
      </button>
    </>
  );
}

const toneOf = (line: Line): string => (line.sign === '+' ? ' added' : line.sign === '-' ? ' removed' : '');

function LineNumber({ of }: { of: number | null }) {
  return <span role="cell" class="diff-no" data-no={of ?? ''} />;
}

function Half({ line, no, chars, of }: { line: Line | null; no: number | null; chars: number; of: HunkOf }) {
  return (
    <div class={`diff-half${line ? toneOf(line) : ' diff-none'}`}>
      <LineNumber of={no} />
      {line ? <Cell line={line} chars={chars} of={of} /> : <span role="cell" />}
    </div>
  );
}

function Cell({ line, chars, of }: { line: Line; chars: number; of: HunkOf }) {
  markWords(of.hunk);
  return (
    <span role="cell" class="diff-cell">
      <span class="diff-mark" aria-hidden="true" data-sign={line.sign === '-' ? '−' : line.sign} />
      {line.sign !== ' ' && <span class="unseen">{signWords[line.sign]} </span>}
      <bdi class="diff-text">
        <LineText text={line.sign === ' ' ? line.text.replace(/\r$/, '') : line.text} styles={runStyles(lineColours(of).get(line))} marks={line.marks} chars={chars} />
      </bdi>
    </span>
  );
}
