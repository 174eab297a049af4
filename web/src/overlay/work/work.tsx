import { useSignal, type Signal } from '@preact/signals';
import { ChevronDown, ChevronUp, Copy, Maximize2, Search as SearchIcon, TextWrap, X } from 'lucide';
import type { IconNode } from 'lucide';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { errorWords } from '../kit/api.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import type { Content, DiffFile, Work as Described } from './content.ts';
import { DiffView, NO_STEPS, type Steps } from './diff_view.tsx';
import { FileList } from './file_list.tsx';
import type { Part, Parts } from './find.ts';
import { fileLink, readFile, type FileLink } from './file_link.ts';
import { HeadWords } from './head.tsx';
import { JsonTree } from './json_tree.tsx';
import { CARD_LIMITS, fits, fitsTree, FULL_LIMITS, type RenderLimits } from './limits.ts';
import { FileView, OutputView, TextView } from './lines_view.tsx';
import { LineText } from './line_text.tsx';
import { MarkdownView } from './markdown_view.tsx';
import type { Review } from './review.ts';
import { diffText } from './rows.ts';
import { Search } from './search.tsx';
import * as say from '../../contracts/words.gen.ts';

export interface WorkProps {
  work: Described;
  /** The displayed name; by default the content's path or kind. */
  name?: string | undefined;
  /** The duration of the call in ms. */
  took?: number | undefined;
  /** Whether to fill the available space. */
  tall?: boolean;
  /** Called once the content has been shown completely, or opened at full size; never for truncated content. */
  onWhole?: (() => void) | undefined;
  /** The comments and findings on a patch; undefined if its lines cannot have any. */
  review?: Review | undefined;
}

/** The viewer for diffs, terminal output, files, documents and values. */
export function Work({ work, name, took, tall = false, onWhole, review }: WorkProps) {
  const full = useSignal(false);
  const opener = useRef<HTMLElement | null>(null);
  const { content, cut } = work;
  const limits = tall ? FULL_LIMITS : CARD_LIMITS;
  const whole = !cut && fits(content, limits);
  useEffect(() => {
    if (whole || (full.value && !cut)) onWhole?.();
  }, [whole, full.value, cut]);
  const open = () => {
    opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    full.value = true;
  };
  const close = () => {
    full.value = false;
    setTimeout(() => opener.current?.isConnected && opener.current.focus(), 0);
  };
  return (
    <>
      <Frame content={content} name={name} took={took} limits={limits} tall={tall} review={review} onFull={open} />
      {work.error !== undefined && (
        <p class="result-error">
          <LineText text={work.error} chars={limits.chars} />
        </p>
      )}
      {!whole && !cut && !tall && (
        <p class="small strong" role="note">
          This is too long to show in full here.{' '}
          <button type="button" class="link" onClick={open}>
            Open it at full size
          </button>
        </p>
      )}
      {full.value && <Full content={content} name={name} took={took} review={review} onClose={close} />}
    </>
  );
}

function Full({ content, name, took, review, onClose }: Pick<FrameProps, 'content' | 'name' | 'took' | 'review'> & { onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const el = ref.current!;
    el.showModal();
    el.querySelector<HTMLElement>('.work-body')?.focus();
    return () => el.close();
  }, []);
  return (
    <dialog
      ref={ref}
      class="card dialog work-full"
      aria-label={name ?? say.fullSize}
      onCancel={(e) => {
        e.preventDefault();
        onClose();
      }}
      // Keys pressed in this dialog must not answer the card behind it.
      onKeyDown={(e) => e.stopPropagation()}
    >
      <Frame content={content} name={name} took={took} limits={FULL_LIMITS} tall review={review} onClose={onClose} />
    </dialog>
  );
}

interface FrameProps {
  content: Content;
  name?: string | undefined;
  took?: number | undefined;
  limits: RenderLimits;
  tall: boolean;
  review?: Review | undefined;
  onFull?: () => void;
  onClose?: () => void;
}

function Frame({ content, name, took, limits, tall, review, onFull, onClose }: FrameProps) {
  const { shell } = useOffice();
  const wrap = useSignal(true);
  const at = useSignal<number | null>(null);
  const steps = useRef<Steps>(NO_STEPS);
  const parts = useRef<readonly Part[]>([]);
  const finding = useSignal(false);
  const ref = useRef<HTMLDivElement>(null);
  const go = (step: 1 | -1) => {
    const { changes } = steps.current;
    const next = step > 0 ? changes.find((row) => row > (at.peek() ?? -1)) : changes.findLast((row) => row < (at.peek() ?? Infinity));
    if (next !== undefined) at.value = next;
  };
  const searchable = tall && content.kind !== 'markdown' && content.kind !== 'json';
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === '/' && searchable) {
      e.preventDefault();
      finding.value = true;
      return;
    }
    if (review && reviewKey(e, review, steps.current, at)) {
      e.preventDefault();
      return;
    }
    const step = stepOf(e, ref.current);
    if (step === 0 || content.kind !== 'diff') return;
    e.preventDefault();
    go(step);
  };
  const copy = async () => {
    await navigator.clipboard.writeText(copyText(content));
    shell.toast('Copied.', 'good');
  };
  return (
    <div ref={ref} class={`work work-${content.kind}${tall ? ' work-tall' : ''}${wrap.value ? '' : ' work-nowrap'}`} onKeyDown={onKeyDown}>
      <div class="work-head">
        <div class="work-words">
          <HeadWords content={content} name={name} took={took} />
        </div>
        {tall && content.kind === 'diff' && (
          <>
            <Tool of={ChevronUp} label="Previous change" keys="k" onClick={() => go(-1)} />
            <Tool of={ChevronDown} label="Next change" keys="j" onClick={() => go(1)} />
          </>
        )}
        {finding.value && <Search parts={parts} onClose={() => (finding.value = false)} />}
        {searchable && <Tool of={SearchIcon} label="Find" keys="/" pressed={finding} onClick={() => (finding.value = !finding.peek())} />}
        {searchable && <Tool of={TextWrap} label="Wrap lines" pressed={wrap} onClick={() => (wrap.value = !wrap.peek())} />}
        <Tool of={Copy} label="Copy" onClick={() => void copy()} />
        {onFull && <Tool of={Maximize2} label={say.fullSize} onClick={onFull} />}
        {onClose && <Tool of={X} label="Close" keys="Esc" onClick={onClose} />}
      </div>
      {review && content.kind === 'diff' && content.files.length > 1 && <FileList files={content.files} review={review} onPick={(file) => steps.current.open(file)} />}
      <div class="work-body" tabIndex={0} role="region" aria-label={name ?? regionWords[content.kind]}>
        <Body content={content} limits={limits} tall={tall} at={at} steps={steps} parts={parts} label={name ?? regionWords.diff} wrap={wrap.value} review={review} />
      </div>
    </div>
  );
}

const regionWords = { diff: 'Changes', terminal: 'Terminal', file: 'File', text: 'Text', markdown: 'Document', json: 'JSON' };

/**
 * Returns the direction that a key steps in, or 0 if the key does not step through changes. On a card that is waiting
 * for an answer, N and P do not step, because N answers the card.
 */
function stepOf(e: KeyboardEvent, frame: Element | null): 1 | -1 | 0 {
  if (e.ctrlKey || e.metaKey || e.altKey) return 0;
  const asks = frame?.closest('.need') && !frame.closest('dialog');
  if (e.key === 'j' || (e.key === 'n' && !asks)) return 1;
  return e.key === 'k' || (e.key === 'p' && !asks) ? -1 : 0;
}

/** Handles the keys of a review: arrows select a line, and C writes a comment on it. Returns false for other keys. */
function reviewKey(e: KeyboardEvent, review: Review, steps: Steps, at: Signal<number | null>): boolean {
  if (e.ctrlKey || e.metaKey || e.altKey) return false;
  const row = at.peek();
  if (row !== null && (e.key === 'ArrowDown' || e.key === 'ArrowUp')) {
    const step = e.key === 'ArrowDown' ? 1 : -1;
    let next = row + step;
    while (next >= 0 && next < steps.count && !steps.spot(next)) next += step;
    if (steps.spot(next)) at.value = next;
    return true;
  }
  if (e.key !== 'c' && e.key !== 'C') return false;
  const spot = steps.spot(row ?? steps.changes[0] ?? 0);
  if (spot && review.open) review.writing.value = spot;
  return true;
}

interface BodyProps {
  content: Content;
  limits: RenderLimits;
  tall: boolean;
  label: string;
  wrap: boolean;
  at: Signal<number | null>;
  steps: { current: Steps };
  parts: Parts;
  review: Review | undefined;
}

function Body({ content, limits, tall, wrap, label, at, steps, parts, review }: BodyProps) {
  switch (content.kind) {
    case 'diff': {
      const [file, ...others] = content.files;
      const said = file && others.length === 0 && file.hunks.every((h) => h.lines.length === 0) ? emptyWords(file) : null;
      return said ? <p class="soft">{said}</p> : <DiffView files={content.files} limits={limits} wrap={wrap} label={label} at={at} steps={steps} parts={parts} review={review} />;
    }
    case 'terminal':
      return (
        <>
          {content.command !== undefined && (
            <div class="command">
              <TextView text={content.command} limits={limits} parts={parts} />
            </div>
          )}
          {content.out.map((output) => (
            <OutputView key={output.name} output={output} limits={limits} parts={parts} />
          ))}
        </>
      );
    case 'file':
      return content.text === '' ? <p class="soft">The file’s content was not recorded.</p> : <FileView file={content} limits={limits} parts={parts} />;
    case 'text':
      return <TextView text={content.text} limits={limits} parts={parts} />;
    case 'markdown':
      return <Document text={content.text} parts={parts} />;
    case 'json':
      // Full size shows everything; a tree would shorten long values.
      if (tall && !fitsTree(content.value)) return <TextView text={JSON.stringify(content.value, null, 2)} limits={limits} parts={parts} />;
      return <JsonTree value={content.value} open deep={!tall} />;
  }
}

/** Shows Markdown. A link to a workspace file opens the file at full size. */
function Document({ text, parts }: { text: string; parts: Parts }) {
  const file = useSignal<FileLink | null>(null);
  return (
    <>
      <MarkdownView text={text} parts={parts} onFile={(link) => (file.value = fileLink(link))} />
      {file.value && <OpenFile key={file.value} file={file.value} onClose={() => (file.value = null)} />}
    </>
  );
}

/** Shows a workspace file at full size, scrolled to the linked lines. */
export function OpenFile({ file, onClose }: { file: FileLink; onClose: () => void }) {
  const { shell } = useOffice();
  const content = useSignal<Content | null>(null);
  useEffect(() => {
    readFile(file).then(
      (read) => (content.value = read),
      (e: unknown) => {
        shell.toast(errorWords(e), 'bad');
        onClose();
      },
    );
  }, []);
  return content.value && <Full content={content.value} onClose={onClose} />;
}

function emptyWords({ change, binary, hunks }: DiffFile): string {
  if (binary) return 'Binary file: no lines to show.';
  if (change === 'rename') return 'The content is unchanged.';
  if (change === 'edit') return hunks.length > 0 ? 'No lines to show.' : 'No changes.';
  return 'Empty file.';
}

function copyText(content: Content): string {
  switch (content.kind) {
    case 'diff':
      return diffText(content.files);
    case 'terminal':
      return [content.command !== undefined ? `$ ${content.command}` : '', ...content.out.map((o) => o.text)].filter((t) => t !== '').join('\n');
    case 'json':
      return content.source ?? JSON.stringify(content.value, null, 2);
    default:
      return content.text;
  }
}

function Tool({ of, label, keys, pressed, onClick }: { of: IconNode; label: string; keys?: string; pressed?: Signal<boolean>; onClick: () => void }) {
  return (
    <button type="button" class="icon-button tiny" aria-label={label} title={keys ? `${label} (${keys})` : label} aria-pressed={pressed?.value} onClick={onClick}>
      <Icon of={of} size={14} />
    </button>
  );
}
