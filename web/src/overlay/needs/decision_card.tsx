import { useSignal } from '@preact/signals';
import { NotebookPen } from 'lucide';
import { LIMIT_CHOICE, LIMIT_NOTE } from '../../contracts/limits.gen.ts';
import type { Decision } from '../../contracts/protocol.gen.ts';
import type { Need } from '../../world/store.ts';
import { refused, type Refused } from '../kit/composer.ts';
import { Icon } from '../kit/icon.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { Countdown } from './countdown.tsx';
import { NeedHead } from './need_head.tsx';

/** A question, answered where it stands. */
export function DecisionCard({ need, decision }: { need: Need; decision: Decision }) {
  const { shell, store } = useOffice();
  const own = useSignal('');
  const note = useSignal<string | null>(null);
  const busy = useSignal(false);
  const refusal = useSignal<Refused | null>(null);
  const task = store.tasks.value.find((t) => t.task_id === decision.task_id);
  const off = shell.frozen.value !== null || busy.value;
  const answer = async (choice: string) => {
    busy.value = true;
    const said = note.peek()?.trim();
    const data = { decision_id: decision.decision_id, choice, ...(said && { note: said }), expected_decision_status: 'open' };
    const reply = await shell.act('resolve_decision', data, decision.kind === 'ask' ? 'Answered.' : 'Answered. Back to work they go.', true);
    busy.value = false;
    refusal.value = reply.ok ? null : refused(reply);
  };
  return (
    <>
      <NeedHead need={need} verb="asks" />
      <p class="prompt">
        <Words>{decision.prompt}</Words>
      </p>
      {task && (
        <p class="soft about two-lines">
          About <Words>{task.title}</Words>
        </p>
      )}
      {decision.expires_at !== undefined && (
        <p class="about soft">
          <Countdown until={decision.expires_at} />
        </p>
      )}
      <div class="options">
        {decision.options.map((option, i) => (
          <button key={i} type="button" class={decision.kind === 'retry' && i === 0 ? 'button calm' : 'button outline'} disabled={off} title={shell.frozen.value ?? undefined} onClick={() => void answer(option)}>
            <Words>{option}</Words>
          </button>
        ))}
      </div>
      {decision.allow_free_text && (
        <form
          class="answer"
          onSubmit={(e) => {
            e.preventDefault();
            if (!off && own.peek().trim() !== '') void answer(own.peek().trim());
          }}
        >
          <input
            class="field"
            dir="auto"
            aria-label="Your own answer"
            placeholder="Or in your own words…"
            maxLength={LIMIT_CHOICE}
            value={own.value}
            readOnly={off}
            aria-disabled={off || undefined}
            onInput={(e) => (own.value = e.currentTarget.value)}
          />
          <button type="submit" class="button" disabled={off || own.value.trim() === ''}>
            Answer
          </button>
        </form>
      )}
      {note.value === null ? (
        <button type="button" class="link" onClick={() => (note.value = '')}>
          <Icon of={NotebookPen} size={14} />
          Add a note
        </button>
      ) : (
        <textarea
          class="field"
          dir="auto"
          rows={2}
          aria-label="Note for the asker"
          placeholder="Anything they should know (sent with your answer)"
          maxLength={LIMIT_NOTE}
          value={note.value}
          onInput={(e) => (note.value = e.currentTarget.value)}
        />
      )}
      <Refusal of={refusal} />
    </>
  );
}
