import { useSignal } from '@preact/signals';
import { CircleCheck, CircleDashed, CircleX, TriangleAlert } from 'lucide';
import { ACCEPT_PREFIX } from '../../contracts/limits.gen.ts';
import type { Task } from '../../contracts/protocol.gen.ts';
import { verdictNotes, verdicts } from '../../contracts/words.gen.ts';
import { duration } from '../../hud/label.ts';
import { Ago } from '../kit/ago.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { CheckOutput } from './check_output.tsx';
import { checkRows, type CheckRow } from './check_words.ts';
import { Landing } from './landing.tsx';
import * as say from '../../contracts/words.gen.ts';

const short = (id: string | undefined): string => id?.slice(0, 8) ?? '–';

/** Explains a task's verdict: its files, its checks with their results, collisions, and how to land the work. */
export function Receipt({ task }: { task: Task }) {
  if (!task.verdict || !task.worktree) return <p class="soft">{say.noChecks}</p>;
  const rows = checkRows(task);
  return (
    <section class="receipt" aria-label={say.receipt}>
      <p>{say.verdictOf(verdicts[task.verdict], verdictNotes[task.verdict])}</p>
      <p class="soft small">{say.filesTree(short(task.tree), short(task.worktree.base))}</p>
      {rows.length === 0 && <p class="soft">{say.noChecks}</p>}
      <ul>
        {rows.map((row) => (
          <CheckLine key={row.name} taskId={task.task_id} row={row} />
        ))}
      </ul>
      <Collisions task={task} />
      <Landing task={task} />
    </section>
  );
}

function CheckLine({ taskId, row: { name, command, optional, good, words, result } }: { taskId: string; row: CheckRow }) {
  const open = useSignal(false);
  const hash = result?.log_sha256;
  return (
    <li class="receipt-check">
      <Icon of={good ? CircleCheck : result ? CircleX : CircleDashed} />
      <span class="strong">{name}</span>
      {name !== ACCEPT_PREFIX + command && (
        <code>
          <Words>{command}</Words>
        </code>
      )}
      <span class={good ? 'tag good' : 'tag bad'}>{words}</span>
      {optional && <span class="soft small">{say.checkOptional}</span>}
      {result && (
        <span class="soft small">
          {duration(result.duration_ms)} · tree {short(result.tree)} · <Ago at={result.started} />
        </span>
      )}
      {hash && (
        <button type="button" class="pill" aria-expanded={open.value} onClick={() => (open.value = !open.peek())}>
          {say.output}
        </button>
      )}
      {hash && open.value && <CheckOutput taskId={taskId} check={name} hash={hash} />}
    </li>
  );
}

/** Warns that other unfinished tasks have changed the same files. */
export function Collisions({ task }: { task: Task }) {
  const { store } = useOffice();
  const others = (task.collisions ?? []).flatMap((c) => c.task_ids.filter((id) => id !== task.task_id && c.paths.length > 0).map((id) => ({ id, paths: c.paths })));
  return (
    <>
      {others.map(({ id, paths }) => (
        <p key={id} class="collision small" role="note">
          <Icon of={TriangleAlert} size={14} />
          <Words>{say.sameFiles(store.tasks.value.find((t) => t.task_id === id)?.title ?? id, paths.join(', '))}</Words>
        </p>
      ))}
    </>
  );
}
