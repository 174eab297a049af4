import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Artifact } from '../../contracts/protocol.gen.ts';
import { plain } from '../../world/plain.ts';
import { diffRows, foldRows, type DiffFold, type DiffRow } from './diff_rows.ts';
import { PlainView } from './plain_view.tsx';
import { useContent } from './use_content.ts';

/** A diff that takes longer is given up: the two texts have too little in common. The page stands still meanwhile. */
const PATIENCE_MS = 150;
/** Rows drawn at once; the person asks for the next ones. */
const ROWS = 500;
const markWords = { '+': 'added', '-': 'removed', ' ': '' };

/** What changed from one version to the next, line by line. */
export function DiffView({ before, after }: { before: Artifact; after: Artifact }) {
  const old = useContent(before);
  const fresh = useContent(after);
  const rows = useSignal<readonly (DiffRow | DiffFold)[] | 'too different' | null>(null);
  const a = old.content?.kind === 'text' ? old.content.text : null;
  const b = fresh.content?.kind === 'text' ? fresh.content.text : null;
  useEffect(() => {
    rows.value = null;
    if (a === null || b === null) return;
    let gone = false;
    const compare = async () => {
      const { diffLines } = await import('diff');
      if (gone) return;
      const changes = diffLines(a, b, { timeout: PATIENCE_MS });
      rows.value = changes ? foldRows(diffRows(changes)) : 'too different';
    };
    void compare();
    return () => {
      gone = true;
    };
  }, [a, b]);
  const error = old.error ?? fresh.error;
  if (error) return <p class="refusal" role="alert">{error}</p>;
  if (old.content && fresh.content && (a === null || b === null)) return <p class="soft">Only texts can be compared.</p>;
  if (rows.value === null) return <p class="soft">Comparing…</p>;
  if (rows.value === 'too different') {
    return (
      <>
        <p class="soft">These versions have too little in common to compare line by line. Here are both.</p>
        <PlainView text={a ?? ''} note={`Version ${before.version}`} />
        <PlainView text={b ?? ''} note={`Version ${after.version}`} />
      </>
    );
  }
  if (!rows.value.some((r) => !('folded' in r) && r.mark !== ' ')) return <p class="soft">The two versions are the same.</p>;
  return (
    <table class="diff">
      <caption class="unseen">
        Version {before.version} compared with version {after.version}
      </caption>
      <tbody>
        <Rows rows={rows.value} />
      </tbody>
    </table>
  );
}

function Rows({ rows }: { rows: readonly (DiffRow | DiffFold)[] }) {
  const shown = useSignal(ROWS);
  const left = rows.length - shown.value;
  return (
    <>
      {rows.slice(0, shown.value).map((row, i) => ('folded' in row ? <Fold key={i} fold={row} /> : <Line key={i} row={row} />))}
      {left > 0 && <Button words={`Show more (${left} rows left)`} onClick={() => (shown.value += ROWS)} />}
    </>
  );
}

function Line({ row }: { row: DiffRow }) {
  return (
    <tr class={row.mark === '+' ? 'added' : row.mark === '-' ? 'removed' : undefined}>
      <td class="diff-no">{row.before ?? ''}</td>
      <td class="diff-no">{row.after ?? ''}</td>
      <td class="diff-mark">
        <span aria-hidden="true">{row.mark === '-' ? '−' : row.mark}</span>
        <span class="unseen">{markWords[row.mark]}</span>
      </td>
      <td class="diff-text" dir="auto">
        {plain(row.text)}
      </td>
    </tr>
  );
}

function Fold({ fold }: { fold: DiffFold }) {
  const open = useSignal(false);
  if (open.value) return <Rows rows={fold.folded} />;
  return <Button words={`… ${fold.folded.length} unchanged lines`} onClick={() => (open.value = true)} />;
}

function Button({ words, onClick }: { words: string; onClick: () => void }) {
  return (
    <tr class="diff-fold">
      <td colSpan={4}>
        <button type="button" class="link" onClick={onClick}>
          {words}
        </button>
      </td>
    </tr>
  );
}
