import { useSignal } from '@preact/signals';
import { LIMIT_INSTRUCTIONS } from '../../contracts/limits.gen.ts';
import type { Artifact } from '../../contracts/protocol.gen.ts';
import { useComposer } from '../kit/composer.ts';
import { Refusal } from '../kit/refusal.tsx';
import { TextBox } from '../kit/text_box.tsx';
import { useOffice } from '../office.ts';
import { instructions } from '../work/review.ts';
import * as say from '../../contracts/words.gen.ts';

/**
 * The form for requesting changes. Comments on lines of a patch are sent together with the form's text; findings by
 * agents are included if the user chooses to send them.
 */
export function ChangesForm({ artifact, onDone }: { artifact: Artifact; onDone: () => void }) {
  const { shell } = useOffice();
  const { comments, findings } = shell.review(artifact);
  const withFindings = useSignal(false);
  const composer = useComposer(
    LIMIT_INSTRUCTIONS,
    async (said) => {
      const data = { artifact_id: artifact.artifact_id, instructions: said, expected_artifact_status: artifact.status, ...(withFindings.peek() && { with_findings: true }) };
      const reply = await shell.act('request_changes', data, say.sentBack, true);
      if (reply.ok) onDone();
      return reply;
    },
    undefined,
    (text) => instructions(text, comments.value),
  );
  return (
    <form
      class="changes"
      onSubmit={(e) => {
        e.preventDefault();
        void composer.submit();
      }}
    >
      <TextBox first label="What should change" placeholder={say.whatShouldChange} rows={2} maxRows={8} value={composer.text.value} onInput={composer.onInput} />
      {comments.value.length > 0 && <p class="soft small">{say.commentsSent(comments.value.length)}</p>}
      {findings.length > 0 && (
        <label class="switch">
          <input type="checkbox" checked={withFindings.value} onChange={() => (withFindings.value = !withFindings.peek())} />
          {say.sendFindings} ({say.findings(findings.length)})
        </label>
      )}
      <div class="options">
        <button type="submit" class="button primary" disabled={shell.frozen.value !== null || composer.busy.value || composer.over || composer.count === 0}>
          Send back
        </button>
        <button type="button" class="button" onClick={onDone}>
          Keep reading
        </button>
        {composer.near && (
          <span class={composer.over ? 'counter over' : 'counter'}>
            {composer.count} / {LIMIT_INSTRUCTIONS}
          </span>
        )}
      </div>
      <Refusal of={composer.refusal} />
    </form>
  );
}
