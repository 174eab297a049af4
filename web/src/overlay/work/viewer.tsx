import { useEffect, useMemo } from 'preact/hooks';
import { isTerminal, screenOf } from './ansi.ts';
import type { Content } from './content.ts';
import { fileOf, pairHunk, parseUnified } from './diff.ts';
import { FindingCard } from './finding.tsx';
import { artifactLanguage } from './language.ts';
import { lineCount, RICH_CHARS } from './limits.ts';
import type { Call } from './open.tsx';
import type { Review } from './review.ts';
import { unplacedFindings } from './rows.ts';
import { drawnArgs, workOf } from './rule.ts';
import { OpenFile, Work, type WorkProps } from './work.tsx';
import * as say from '../../contracts/words.gen.ts';

// loadViewer imports this file on demand; callers get these two through it.
export { drawnArgs, OpenFile };

/** Counts the lines that the viewer shows for a call without a result. */
export const callLines = (tool: string, args: unknown): number => lineCount(workOf(tool, args).content);

/** Shows a tool call: its arguments, or its result once there is one. */
export function CallWork({ call: { tool, args, result }, ...rest }: { call: Call } & Omit<WorkProps, 'work'>) {
  const work = useMemo(() => workOf(tool, args, result), [tool, args, result]);
  return <Work work={work} {...rest} />;
}

/** A deliverable's MIME type and title, which decide how it is shown. */
interface Named {
  mime?: string;
  title?: string;
}

/** Shows a text deliverable according to its type. */
export function DocumentWork({ text, of }: { text: string; of: Named }) {
  const work = useMemo(() => ({ content: documentContent(text, of) }), [text, of.mime, of.title]);
  return <Work work={work} name={work.content.kind === 'file' ? of.title : undefined} tall />;
}

/**
 * Shows a patch with its files, findings and comments. Findings without a line come first. Text that is not a patch
 * is shown as is.
 */
export function PatchWork({ text, review, name }: { text: string; review: Review; name?: string }) {
  const work = useMemo(() => ({ content: patchContent(text) }), [text]);
  const unplaced = useMemo(() => unplacedFindings(work.content.kind === 'diff' ? work.content.files : [], review.findings), [work, review]);
  // Focus the patch, because the keys of a review work only while the patch has the focus.
  useEffect(() => {
    if (!document.activeElement?.matches('input, textarea')) document.querySelector<HTMLElement>('.artifact-body .work-body')?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      {unplaced.length > 0 && (
        <ul class="unplaced-findings" tabIndex={0} aria-label={say.findings(unplaced.length)}>
          {unplaced.map((finding, i) => (
            <li key={i}>
              <FindingCard finding={finding} named />
            </li>
          ))}
        </ul>
      )}
      <Work work={work} name={name} tall review={review} />
    </>
  );
}

export function patchContent(text: string): Content {
  const files = parseUnified(text, '', 'edit');
  return files.length > 0 ? { kind: 'diff', files } : { kind: 'text', text };
}

/** Shows the changes between two versions of a deliverable. */
export function CompareWork({ before, after, of, label }: { before: string; after: string; of: Named; label: string }) {
  const work = useMemo(() => ({ content: comparedContent(before, after, of) }), [before, after, of.mime, of.title]);
  return <Work work={work} name={label} tall />;
}

const ENDS: Readonly<Record<string, string>> = { markdown: 'md', typescript: 'ts', python: 'py', bash: 'sh' };

/** Returns a file name from which the language of the content can be guessed. */
function pathOf(of: Named): string {
  const language = artifactLanguage(of);
  return language ? `${of.title ?? ''}.${ENDS[language] ?? language}` : (of.title ?? '');
}

export function documentContent(text: string, of: Named): Content {
  if (isTerminal(text)) return { kind: 'terminal', out: [{ name: 'text', ...screenOf(text) }] };
  const language = artifactLanguage(of);
  if (language === 'markdown') return { kind: 'markdown', text };
  const value = language === 'json' && text.length <= RICH_CHARS ? parsed(text) : undefined;
  if (value !== undefined) return { kind: 'json', value, source: text };
  return language ? { kind: 'file', path: pathOf(of), start: 1, text } : { kind: 'text', text };
}

export function comparedContent(before: string, after: string, of: Named): Content {
  const hunk = { ...pairHunk(before, after), old: 1, new: 1 };
  const changed = hunk.lines.some((line) => !line.startsWith(' '));
  return { kind: 'diff', files: [fileOf(pathOf(of), 'edit', changed ? [hunk] : [])] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
