import { useSignal } from '@preact/signals';
import { GitMerge } from 'lucide';
import type { Landing as Attempt, LandHow, Task } from '../../contracts/protocol.gen.ts';
import { refused, type Refused } from '../kit/composer.ts';
import { Icon } from '../kit/icon.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { Words } from '../kit/words.tsx';
import { NoPermit } from '../needs/no_permit.tsx';
import { permitReason } from '../needs/permission.ts';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

const ways: readonly (readonly [LandHow, string])[] = [['merge', say.landMerge], ['squash', say.landSquash], ['rebase', say.landRebase], ['pull_request', say.landPull]];

/** Shows whether a task's approved work has landed, and the buttons that land it. */
export function Landing({ task }: { task: Task }) {
  const office = useOffice();
  const { shell } = office;
  const anyway = useSignal(false);
  const refusal = useSignal<Refused | null>(null);
  const { landing, worktree, verdict } = task;
  if (worktree && task.status === 'review' && landing?.status === 'failed') return <Failed landing={landing} />;
  if (!worktree || task.status !== 'done') return null;
  if (landing?.status === 'landed') return <p>{say.landed(landing.target ?? '', landing.commit?.slice(0, 8) ?? '')}</p>;
  if (landing?.status === 'requested') return <p>{landing.dry_run ? say.dryRunning : say.landing}</p>;
  const proven = verdict === 'proven';
  const why = permitReason(office, 'Landing work');
  const off = why !== null || (!proven && !anyway.value);
  const target = worktree.target ?? say.targetCheckout;
  const send = async (more: Readonly<Record<string, unknown>>, done: string) => {
    const reply = await shell.act('land_task', { task_id: task.task_id, ...more }, done, true);
    refusal.value = reply.ok ? null : refused(reply);
  };
  const land = (how: LandHow) => send({ how, ...(!proven && { accept_unproven: true }) }, say.landAsked);
  const accept = !proven && (
    <label class="switch">
      <input type="checkbox" checked={anyway.value} onChange={() => (anyway.value = !anyway.peek())} />
      {say.landUnproven}
    </label>
  );
  if (landing?.status === 'open') {
    return (
      <div class="landing">
        <PullOpen url={landing.pull_request?.url ?? ''} reason={landing.reason} />
        {landing.tree !== task.tree && (
          <>
            {accept}
            <button type="button" class="button calm" disabled={off} title={why ?? undefined} onClick={() => void land('pull_request')}>
              {say.pullUpdate}
            </button>
            {why !== null && <NoPermit reason={why} how={shell.frozen.value === null} />}
            <Refusal of={refusal} />
          </>
        )}
      </div>
    );
  }
  return (
    <div class="landing">
      {landing?.status === 'failed' && <Failed landing={landing} />}
      {landing?.status === 'checked' && <p role="status">{dryRunWords(landing, target)}</p>}
      {accept}
      <div class="options" role="group" aria-label={say.landIn(target)}>
        <Icon of={GitMerge} />
        <span class="strong">{say.landIn(target)}</span>
        {ways.map(([how, words]) => (
          <button key={how} type="button" class={how === 'merge' ? 'button calm' : 'button'} disabled={off} title={why ?? undefined} onClick={() => void land(how)}>
            {words}
          </button>
        ))}
        <button type="button" class="button" disabled={why !== null} title={why ?? say.dryRunNote} onClick={() => void send({ how: 'merge', dry_run: true }, say.dryRunAsked)}>
          {say.dryRun}
        </button>
        <button type="button" class="button" disabled={why !== null} title={why ?? say.dryRunPullNote} onClick={() => void send({ how: 'pull_request', dry_run: true }, say.dryRunAsked)}>
          {say.dryRunPull}
        </button>
      </div>
      {why !== null && <NoPermit reason={why} how={shell.frozen.value === null} />}
      <Refusal of={refusal} />
    </div>
  );
}

function Failed({ landing: { dry_run: dry, reason, conflicts = [] } }: { landing: Attempt }) {
  const why = [reason, ...conflicts].filter(Boolean).join(' ');
  return (
    <p class="refusal" role="alert">
      <Words>{dry ? say.dryRunFailed(why) : say.notLanded(why)}</Words>
    </p>
  );
}

/** Describes the result of a dry run. */
function dryRunWords({ target, pull_request: pull }: Attempt, checkout: string): string {
  if (!pull) return say.dryRunPassed(target ?? checkout);
  return pull.url ? say.dryRunOldPull(pull.remote, pull.url) : say.dryRunNewPull(pull.remote, target ?? checkout);
}

function PullOpen({ url, reason }: { url: string; reason?: string | undefined }) {
  return (
    <>
      <p>
        {say.pullOpen('')}
        <a href={url} target="_blank" rel="noreferrer">
          <Words>{url}</Words>
        </a>
      </p>
      {reason && (
        <p class="refusal">
          <Words>{reason}</Words>
        </p>
      )}
    </>
  );
}
