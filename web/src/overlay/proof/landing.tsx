import { useSignal } from '@preact/signals';
import { GitMerge } from 'lucide';
import type { LandHow, Task } from '../../contracts/protocol.gen.ts';
import { refused, type Refused } from '../kit/composer.ts';
import { Icon } from '../kit/icon.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

const ways: readonly (readonly [LandHow, string])[] = [['merge', say.landMerge], ['squash', say.landSquash], ['rebase', say.landRebase]];

/** Shows how far the landing of a task's work is and, once the work is approved, the buttons that land it. */
export function Landing({ task }: { task: Task }) {
  const { store, shell } = useOffice();
  const anyway = useSignal(false);
  const refusal = useSignal<Refused | null>(null);
  const { landing, worktree, verdict } = task;
  if (!worktree || task.status !== 'done') return null;
  if (landing?.status === 'landed') return <p>{say.landed(landing.target ?? '', landing.commit?.slice(0, 8) ?? '')}</p>;
  if (landing?.status === 'requested') return <p>{say.landing}</p>;
  const proven = verdict === 'proven';
  const off = shell.frozen.value !== null || !store.permit.value || (!proven && !anyway.value);
  const land = async (how: LandHow) => {
    const data = { task_id: task.task_id, how, ...(!proven && { accept_unproven: true }) };
    const reply = await shell.act('land_task', data, say.landAsked, true);
    refusal.value = reply.ok ? null : refused(reply);
  };
  return (
    <div class="landing">
      {landing?.status === 'failed' && (
        <p class="refusal" role="alert">
          <Words>{say.notLanded([landing.reason, ...(landing.conflicts ?? [])].filter(Boolean).join(' '))}</Words>
        </p>
      )}
      {!proven && (
        <label class="switch">
          <input type="checkbox" checked={anyway.value} onChange={() => (anyway.value = !anyway.peek())} />
          {say.landUnproven}
        </label>
      )}
      <div class="options" role="group" aria-label={say.landIn(worktree.target ?? say.targetCheckout)}>
        <Icon of={GitMerge} />
        <span class="strong">{say.landIn(worktree.target ?? say.targetCheckout)}</span>
        {ways.map(([how, words]) => (
          <button key={how} type="button" class={how === 'merge' ? 'button calm' : 'button'} disabled={off} title={store.permit.value ? undefined : say.operatorOnly('Landing')} onClick={() => void land(how)}>
            {words}
          </button>
        ))}
      </div>
      <Refusal of={refusal} />
    </div>
  );
}
