import { useSignal } from '@preact/signals';
import { ArrowLeftRight, CirclePlus, CircleStop, Handshake, OctagonX } from 'lucide';
import type { IconNode } from 'lucide';
import { controls, type Control } from '../../contracts/words.gen.ts';
import type { AgentView } from '../../world/store.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import { controlReason, accepts, successors, TO_ANOTHER } from './runner.ts';

const icons: Readonly<Record<string, IconNode>> = { stop_agent: CircleStop, kill_agent: OctagonX, new_session: CirclePlus, switch_agent: ArrowLeftRight, handover: Handshake };

/**
 * Shows the commands that an agent accepts, and why some of them are disabled. Agents that are only watched accept
 * none.
 */
export function Controls({ agent, session }: { agent: AgentView; session: string | undefined }) {
  const { shell, store } = useOffice();
  const other = useSignal('');
  // A control that the office refused stays disabled while the panel is open.
  const refused = useSignal<ReadonlyMap<Control, string>>(new Map());
  const task = store.tasks.value.find((t) => t.task_id === agent.task_id);
  const reasonOf = (control: Control) => shell.frozen.value ?? controlReason(agent, control, task) ?? refused.value.get(control) ?? null;
  const others = successors(store.agents.value, agent);
  const to = others.some((a) => a.agent_id === other.value) ? other.value : '';
  const press = async (control: Control, done: string) => {
    const target = TO_ANOTHER.includes(control) ? { to_agent_id: to } : {};
    const reply = await shell.act(control, { agent_id: agent.agent_id, ...(session && { session }), ...target }, done);
    if (!reply.ok && reply.code === 'NOT_ALLOWED') refused.value = new Map(refused.peek()).set(control, reply.message);
  };
  const drawn = controls.filter(({ command }) => accepts(agent, command));
  if (drawn.length === 0) return null;
  const reasons = [...new Set(drawn.map(({ command }) => reasonOf(command)).filter((r) => r !== null))];
  const canPass = TO_ANOTHER.some((control) => accepts(agent, control) && reasonOf(control) === null);
  return (
    <section class="controls">
      <h3>Controls</h3>
      <div class="options" role="group" aria-label="Controls">
        {drawn.map(({ command: control, words: label, done }) => {
          const reason = reasonOf(control) ?? (TO_ANOTHER.includes(control) && to === '' ? 'First choose who takes over.' : null);
          return (
            <button key={control} type="button" class="button small" disabled={reason !== null} title={reason ?? label} onClick={() => void press(control, done)}>
              <Icon of={icons[control]!} size={14} />
              {label}
            </button>
          );
        })}
      </div>
      {canPass && (
        <select class="pick" aria-label="Switch or hand over to" value={to} onChange={(e) => (other.value = e.currentTarget.value)}>
          <option value="">Switch or hand over to…</option>
          {others.map((a) => (
            <option key={a.agent_id} value={a.agent_id}>
              {a.name ?? a.agent_id}
            </option>
          ))}
        </select>
      )}
      {reasons.map((reason) => (
        <p key={reason} class="soft small">
          {reason}
        </p>
      ))}
    </section>
  );
}
