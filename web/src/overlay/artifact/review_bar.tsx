import { useSignal } from '@preact/signals';
import { Bot, Check, Split, Undo2 } from 'lucide';
import type { Artifact } from '../../contracts/protocol.gen.ts';
import { Icon } from '../kit/icon.tsx';
import { NoPermit } from '../needs/no_permit.tsx';
import { approveReason } from '../needs/permission.ts';
import { useOffice } from '../office.ts';
import { ChangesForm } from './changes_form.tsx';
import { canAskReview } from './review_words.ts';
import { SplitForm } from './split_form.tsx';
import * as say from '../../contracts/words.gen.ts';

/** The buttons for reviewing a version, shown only while the version is in review. */
export function ReviewBar({ artifact, part }: { artifact: Artifact; part?: 'changes' | 'split' | undefined }) {
  const office = useOffice();
  const { store, shell } = office;
  const asking = useSignal(false);
  const form = useSignal<'changes' | 'split' | null>(part ?? null);
  if (artifact.status !== 'in_review') return null;
  const off = shell.frozen.value !== null;
  const reason = approveReason(office, artifact);
  const approve = () => {
    shell.approve(artifact);
    shell.dialog.value = null;
  };
  const askReview = async () => {
    asking.value = true;
    await shell.act('ask_review', { artifact_id: artifact.artifact_id }, say.reviewAsked);
    asking.value = false;
  };
  const done = () => (form.value = null);
  return (
    <footer class="review-bar">
      {form.value === 'changes' && <ChangesForm artifact={artifact} onDone={done} />}
      {form.value === 'split' && <SplitForm artifact={artifact} onDone={done} />}
      {form.value === null && (
        <div class="options">
          <button type="button" class="button calm" disabled={reason !== null} title={reason ?? undefined} onClick={approve}>
            <Icon of={Check} />
            {say.approve}
          </button>
          <button type="button" class="button" disabled={off} onClick={() => (form.value = 'changes')}>
            <Icon of={Undo2} />
            {say.requestChanges}
          </button>
          <button type="button" class="button" disabled={reason !== null} title={reason ?? undefined} onClick={() => (form.value = 'split')}>
            <Icon of={Split} />
            {say.split}
          </button>
          {canAskReview(artifact, store.artifacts.value, store.agents.value) && (
            <button type="button" class="button" disabled={off || asking.value} onClick={() => void askReview()}>
              <Icon of={Bot} />
              {say.askReview}
            </button>
          )}
          {reason !== null && <NoPermit reason={reason} how={!off} />}
        </div>
      )}
    </footer>
  );
}
