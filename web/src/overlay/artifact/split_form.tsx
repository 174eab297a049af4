import { useSignal } from '@preact/signals';
import { Plus } from 'lucide';
import { LIMIT_SPLIT_TASKS, LIMIT_TASK_TITLE } from '../../contracts/limits.gen.ts';
import type { Artifact } from '../../contracts/protocol.gen.ts';
import { refused, type Refused } from '../kit/composer.ts';
import { Icon } from '../kit/icon.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** The form for approving a deliverable and creating tasks from it. */
export function SplitForm({ artifact, onDone }: { artifact: Artifact; onDone: () => void }) {
  const { shell } = useOffice();
  const titles = useSignal<readonly string[]>(['', '']);
  const refusal = useSignal<Refused | null>(null);
  const given = titles.value.map((t) => t.trim()).filter((t) => t !== '');
  const split = async () => {
    const data = { artifact_id: artifact.artifact_id, task_titles: given, expected_artifact_status: artifact.status };
    const reply = await shell.act('split_into_tasks', data, say.splitDone, true);
    if (reply.ok) onDone();
    else refusal.value = refused(reply);
  };
  return (
    <form
      class="changes"
      aria-label={say.split}
      onSubmit={(e) => {
        e.preventDefault();
        if (given.length > 0) void split();
      }}
    >
      <p class="soft small">Approves this version and plans a task for each line.</p>
      {titles.value.map((title, i) => (
        <input
          key={i}
          class="field"
          dir="auto"
          aria-label={`Task ${i + 1}`}
          placeholder={`Task ${i + 1}`}
          maxLength={LIMIT_TASK_TITLE}
          value={title}
          onInput={(e) => (titles.value = titles.value.map((t, at) => (at === i ? e.currentTarget.value : t)))}
        />
      ))}
      <div class="options">
        <button type="submit" class="button calm" disabled={shell.frozen.value !== null || given.length === 0}>
          {given.length === 1 ? 'Split into 1 task' : `Split into ${given.length || ''} tasks`}
        </button>
        <button type="button" class="button" disabled={titles.value.length >= LIMIT_SPLIT_TASKS} onClick={() => (titles.value = [...titles.value, ''])}>
          <Icon of={Plus} />
          Add a task
        </button>
        <button type="button" class="button" onClick={onDone}>
          Keep reading
        </button>
      </div>
      <Refusal of={refusal} />
    </form>
  );
}
