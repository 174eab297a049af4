import { effect } from '@preact/signals';
import { nameOf } from '../agent/name.ts';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice, type Office } from '../office.ts';
import { CircleSlash } from 'lucide';
import { questionText } from './question_text.ts';
import * as say from '../../contracts/words.gen.ts';

/** A note about a question that no longer needs an answer. */
export interface Withdrawn {
  id: string;
  title: string;
  reason: string;
  /** Local time until which the note is shown. */
  until: number;
}

const SHOWN_MS = 9000;
const KEPT = 3;

/**
 * Adds a note for each question that is withdrawn, so that its card does not vanish without an explanation. Returns a
 * function that stops watching.
 */
export function watchWithdrawn({ store, shell }: Office): () => void {
  let open: ReadonlySet<string> = new Set();
  return effect(() => {
    const all = store.decisions.value;
    const before = open;
    open = new Set(all.filter((d) => d.status === 'open').map((d) => d.decision_id));
    for (const d of all) {
      if (d.status !== 'cancelled' || !before.has(d.decision_id)) continue;
      const who = d.session?.agent.name ?? (d.asked_by ? nameOf(store.agents.peek(), d.asked_by) : say.script);
      const title = `${who}: ${questionText(d)}`;
      const reason = d.reason || say.withdrawn;
      shell.withdrawn.value = [...shell.withdrawn.peek(), { id: d.decision_id, title, reason, until: Date.now() + SHOWN_MS }].slice(-KEPT);
      if (shell.panel.peek() !== 'needs' && !shell.asText.peek()) shell.toast(say.noAnswerNeeded(title, reason));
    }
  });
}

/** Shows recently withdrawn questions, and why they were withdrawn. */
export function WithdrawnNotes() {
  const { shell } = useOffice();
  const rows = shell.withdrawn.value.filter((row) => row.until > shell.clock.value);
  if (rows.length === 0) return null;
  return (
    <ul class="withdrawn" role="status">
      {rows.map((row) => (
        <li key={row.id}>
          <Icon of={CircleSlash} size={14} />
          <span>
            <Words class="strong two-lines">{row.title}</Words>
            <Words class="soft small">{row.reason}</Words>
          </span>
        </li>
      ))}
    </ul>
  );
}
