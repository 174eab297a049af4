import type { Signal } from '@preact/signals';
import { NotebookPen } from 'lucide';
import { LIMIT_CHOICE, LIMIT_NOTE } from '../../contracts/limits.gen.ts';
import type { Decision } from '../../contracts/protocol.gen.ts';
import type { Need } from '../../world/store.ts';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { Countdown } from './countdown.tsx';
import { NeedHead } from './need_head.tsx';
import { NoPermit } from './no_permit.tsx';
import { permitReason, answerCommand } from './permission.ts';
import { useProjectOf } from './project.ts';
import { Refusals, Same } from './same.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows a question with its options, and fields for a free answer and a note. */
export function DecisionCard({ card, decision }: { card: readonly Need[]; decision: Decision }) {
  const office = useOffice();
  const { shell, store } = office;
  const { own, note, picked } = shell.answerQueue.draft(decision.decision_id);
  const task = store.tasks.value.find((t) => t.task_id === decision.task_id);
  const project = useProjectOf(decision.project_id);
  // Only operators may answer questions that come from a tool.
  const reason = decision.permission ? permitReason(office, say.answeringAgent) : shell.frozen.value;
  const off = reason !== null;
  const answer = (choice: string, ...more: string[]) => {
    const said = note.peek()?.trim();
    const choices = decision.multiple && { choices: [choice, ...more] };
    const data = { choice, ...choices, ...(said && { note: said }) };
    const done = decision.task_id ? say.answeredGoesOn : say.answered;
    shell.answer({ commands: card.map((n) => answerCommand(n.ref, data)), words: [choice, ...more].join(', '), done });
  };
  const words = [...picked.value, own.value.trim()].filter((w) => w !== '');
  return (
    <>
      <NeedHead need={card[0]!} verb="asks" />
      <Same card={card} />
      <p class="prompt">
        {decision.header && <span class="tag">{decision.header}</span>}
        <Words>{decision.prompt}</Words>
      </p>
      {decision.permission?.place && (
        <p class="about soft">
          in <Words>{decision.permission.place}</Words>
        </p>
      )}
      {task && (
        <p class="soft about two-lines">
          {say.thingTask}: <Words>{[task.title, project].filter(Boolean).join(' · ')}</Words>
        </p>
      )}
      {decision.expires_at !== undefined && (
        <p class="about soft">
          <Countdown until={decision.expires_at} />
        </p>
      )}
      <div class={decision.descriptions ? 'options described' : 'options'}>
        {decision.options.map((option, i) => (
          <button
            key={i}
            type="button"
            class={decision.kind === 'retry' && i === 0 ? 'button calm' : 'button outline'}
            aria-pressed={decision.multiple ? picked.value.includes(option) : undefined}
            disabled={off}
            title={reason ?? undefined}
            onClick={() => (decision.multiple ? toggle(picked, option) : answer(option))}
          >
            <Words>{option}</Words>
            {decision.descriptions?.[i] && <Words class="soft small">{decision.descriptions[i]}</Words>}
          </button>
        ))}
      </div>
      {(decision.allow_free_text || decision.multiple) && (
        <form
          class="answer"
          onSubmit={(e) => {
            e.preventDefault();
            if (!off && words.length > 0) answer(words[0]!, ...words.slice(1));
          }}
        >
          {decision.allow_free_text && (
            <input
              class="field"
              dir="auto"
              aria-label={say.ownAnswer}
              placeholder={decision.multiple ? 'And in your own words…' : 'Or in your own words…'}
              maxLength={LIMIT_CHOICE}
              value={own.value}
              readOnly={off}
              aria-disabled={off || undefined}
              onInput={(e) => (own.value = e.currentTarget.value)}
            />
          )}
          <button type="submit" class="button" disabled={off || words.length === 0}>
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
          aria-label="Note with your answer"
          placeholder={say.noteHint}
          maxLength={LIMIT_NOTE}
          value={note.value}
          onInput={(e) => (note.value = e.currentTarget.value)}
        />
      )}
      {decision.permission && reason !== null && <NoPermit reason={reason} how={shell.frozen.value === null} />}
      <Refusals card={card} />
    </>
  );
}

function toggle(picked: Signal<readonly string[]>, option: string): void {
  const before = picked.peek();
  picked.value = before.includes(option) ? before.filter((o) => o !== option) : [...before, option];
}
