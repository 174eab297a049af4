import { useSignal } from '@preact/signals';
import { BookOpen, Check, Undo2 } from 'lucide';
import type { Artifact } from '../../contracts/protocol.gen.ts';
import type { Need } from '../../world/store.ts';
import { ChangesForm } from '../artifact/changes_form.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { VerdictBadge } from '../proof/verdict_badge.tsx';
import { NeedHead } from './need_head.tsx';
import { NoPermit } from './no_permit.tsx';
import { approveReason } from './permission.ts';
import { useProjectOf } from './project.ts';
import { Refusals } from './same.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows a deliverable that is waiting for a review. */
export function ReviewCard({ need, artifact }: { need: Need; artifact: Artifact }) {
  const office = useOffice();
  const { store, shell } = office;
  const project = useProjectOf(artifact.project_id);
  const task = store.tasks.value.find((t) => t.task_id === artifact.task_id);
  const back = useSignal(false);
  const { stat } = artifact;
  const off = shell.frozen.value !== null;
  const reason = approveReason(office, artifact);
  return (
    <>
      <NeedHead need={need} verb={say.asksForReview} />
      <p class="prompt prompt-title" title={artifact.title}>
        <Words>{artifact.title ?? artifact.type}</Words>
        <span class="tag">v{artifact.version}</span>
        {stat && <span class="soft small">{`${say.files(stat.files)} +${stat.added} −${stat.deleted}`}</span>}
        {artifact.rehearsal && <span class="tag rehearsal">{say.rehearsal}</span>}
        <VerdictBadge task={task} />
      </p>
      {project && (
        <p class="soft about">
          {say.thingProject}: <Words>{project}</Words>
        </p>
      )}
      <div class="options">
        <button type="button" class="button" onClick={() => shell.open({ kind: 'artifact', id: artifact.artifact_id })}>
          <Icon of={BookOpen} />
          Open
        </button>
        <button type="button" class="button calm" disabled={reason !== null} title={reason ?? 'Approve (Y)'} onClick={() => shell.approve(artifact)}>
          <Icon of={Check} />
          {say.approve}
        </button>
        <button type="button" class="button" disabled={off} title={shell.frozen.value ?? 'Request changes (N)'} aria-expanded={back.value} onClick={() => (back.value = !back.value)}>
          <Icon of={Undo2} />
          Changes…
        </button>
      </div>
      {reason !== null && !off && <NoPermit reason={reason} how />}
      {back.value && <ChangesForm artifact={artifact} onDone={() => (back.value = false)} />}
      <Refusals card={[need]} />
    </>
  );
}
