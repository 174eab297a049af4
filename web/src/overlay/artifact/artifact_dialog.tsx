import { useSignal } from '@preact/signals';
import { verdictOn } from '../../world/verdict.ts';
import { artifactWords } from '../../world/words.ts';
import { nameOf } from '../agent/name.ts';
import { Dialog } from '../kit/dialog.tsx';
import { bytesWords } from '../kit/time.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { Receipt } from '../proof/receipt.tsx';
import { VerdictBadge } from '../proof/verdict_badge.tsx';
import { AgentReviews } from './agent_reviews.tsx';
import { Body, Changes, isComparable } from './body.tsx';
import { isPatch } from './content.ts';
import { ReviewBar } from './review_bar.tsx';
import { versionsOf } from './versions.ts';
import * as say from '../../contracts/words.gen.ts';

/**
 * Shows a deliverable at full size, so that the user can read it, compare its versions, approve it or request changes.
 */
export function ArtifactDialog({ id, part }: { id: string; part?: 'read' | 'diff' | 'changes' | 'split' | undefined }) {
  const { store, shell } = useOffice();
  const shownId = useSignal(id);
  // Null is the default: show the changes since the previous version if both are text.
  const chosen = useSignal<boolean | null>(part === 'diff' ? true : part === 'read' ? false : null);
  const receipt = useSignal(false);
  const close = () => (shell.dialog.value = null);
  const versions = versionsOf(store.artifacts.value, shownId.value);
  const at = versions.findIndex((v) => v.artifact_id === shownId.value);
  const artifact = versions[at];
  if (!artifact) {
    return (
      <Dialog title={say.connectStates.missing} label={say.thingDeliverable} onClose={close}>
        <p class="empty">{say.artifactGone}</p>
      </Dialog>
    );
  }
  const task = store.tasks.value.find((t) => t.task_id === artifact.task_id);
  const judged = verdictOn(artifact, task) ? task : undefined;
  const before = versions[at - 1];
  const compare = before !== undefined && (chosen.value ?? isComparable(before, artifact));
  return (
    <Dialog
      title={<Words class="two-lines">{artifact.title ?? artifact.type}</Words>}
      label={`Deliverable ${artifact.title ?? artifact.type}`}
      class={compare || isPatch(artifact) ? 'artifact-dialog artifact-wide' : 'artifact-dialog'}
      onClose={close}
    >
      <div class="artifact-meta">
        <span class="tag">{artifactWords(artifact.status)}</span>
        {artifact.created_by && <Words>by {nameOf(store.agents.value, artifact.created_by)}</Words>}
        <span>{artifact.type}</span>
        {artifact.mime && <span>{artifact.mime.split(';')[0]}</span>}
        {artifact.bytes !== undefined && <span>{bytesWords(artifact.bytes)}</span>}
        {artifact.sha256 && <code title={artifact.sha256}>{artifact.sha256.slice(0, 8)}</code>}
        <VerdictBadge task={judged} open={receipt.value} onClick={() => (receipt.value = !receipt.peek())} />
        {artifact.rehearsal && <span class="tag rehearsal">{say.rehearsal}</span>}
        <span class="artifact-versions" role="group" aria-label="Versions">
          {versions.map((v) => (
            <button key={v.artifact_id} type="button" class="pill" aria-pressed={v === artifact} onClick={() => (shownId.value = v.artifact_id)}>
              v{v.version}
            </button>
          ))}
          {before && (
            <button type="button" class="pill" aria-pressed={compare} onClick={() => (chosen.value = !compare)}>
              {say.changesSince(before.version)}
            </button>
          )}
        </span>
      </div>
      {judged && receipt.value && <Receipt task={judged} />}
      <AgentReviews artifact={artifact} task={task} />
      <div class="artifact-body">
        {compare ? <Changes key={artifact.artifact_id} before={before} after={artifact} /> : <Body key={artifact.artifact_id} artifact={artifact} />}
      </div>
      <ReviewBar key={artifact.artifact_id} artifact={artifact} part={part === 'changes' || part === 'split' ? part : undefined} />
    </Dialog>
  );
}
