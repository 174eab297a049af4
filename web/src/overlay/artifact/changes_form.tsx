import { LIMIT_INSTRUCTIONS } from '../../contracts/limits.gen.ts';
import type { Artifact } from '../../contracts/protocol.gen.ts';
import { useComposer } from '../kit/composer.ts';
import { Refusal } from '../kit/refusal.tsx';
import { TextBox } from '../kit/text_box.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** The form for requesting changes. */
export function ChangesForm({ artifact, onDone }: { artifact: Artifact; onDone: () => void }) {
  const { shell } = useOffice();
  const composer = useComposer(LIMIT_INSTRUCTIONS, async (instructions) => {
    const data = { artifact_id: artifact.artifact_id, instructions, expected_artifact_status: artifact.status };
    const reply = await shell.act('request_changes', data, say.sentBack, true);
    if (reply.ok) onDone();
    return reply;
  });
  return (
    <form
      class="changes"
      onSubmit={(e) => {
        e.preventDefault();
        void composer.submit();
      }}
    >
      <TextBox first label="What should change" placeholder={say.whatShouldChange} rows={2} maxRows={8} value={composer.text.value} onInput={composer.onInput} />
      <div class="options">
        <button type="submit" class="button primary" disabled={shell.frozen.value !== null || composer.busy.value || composer.over || composer.text.value.trim() === ''}>
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
