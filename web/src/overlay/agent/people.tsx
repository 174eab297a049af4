import type { AgentView } from '../../world/store.ts';
import { guestWords, roleWords } from '../../world/words.ts';
import { Face } from '../kit/face.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { StateTag } from './state_tag.tsx';

/** Everybody in the office, one line each: who waits for you, the crew, then guests, sub-agents below who sent them. */
export function People() {
  const { store } = useOffice();
  const agents = store.agents.value;
  if (agents.length === 0) return <p class="empty">Nobody is here yet.</p>;
  const wanting = new Set(store.needs.value.map((need) => need.agent_id));
  const rest = agents.filter((a) => !wanting.has(a.agent_id));
  return (
    <>
      <Group title="Need you" of={agents.filter((a) => wanting.has(a.agent_id))} />
      <Group title="Crew" of={rest.filter((a) => !a.source)} />
      <Group title="Guests" of={inFamilies(rest.filter((a) => a.source))} />
    </>
  );
}

function Group({ title, of }: { title: string; of: readonly AgentView[] }) {
  const everybody = useOffice().store.agents.value;
  if (of.length === 0) return null;
  return (
    <>
      <h3>
        {title} · {of.length}
      </h3>
      <ul class="people">
        {of.map((agent) => (
          <PersonRow key={agent.agent_id} agent={agent} at={everybody.indexOf(agent) + 1} />
        ))}
      </ul>
    </>
  );
}

/** Sub-agents follow who sent them; those whose sender is not here stand for themselves. */
export function inFamilies(guests: readonly AgentView[]): readonly AgentView[] {
  const here = new Set(guests.map((g) => g.agent_id));
  const subs = (id: string) => guests.filter((g) => g.parent_id === id && g.agent_id !== id);
  const seen = new Set<AgentView>();
  const out: AgentView[] = [];
  const add = (guest: AgentView) => {
    if (seen.has(guest)) return;
    seen.add(guest);
    out.push(guest);
    for (const sub of subs(guest.agent_id)) add(sub);
  };
  for (const guest of guests) if (!guest.parent_id || !here.has(guest.parent_id)) add(guest);
  for (const guest of guests) add(guest); // those who sent each other
  return out;
}

function PersonRow({ agent, at }: { agent: AgentView; at: number }) {
  const { shell, focus } = useOffice();
  return (
    <li class={agent.parent_id ? 'sub' : undefined}>
      <button
        type="button"
        class="row person"
        aria-current={focus.selected.value?.kind === 'agent' && focus.selected.value.id === agent.agent_id ? true : undefined}
        title={at <= 9 ? `Key ${at}` : undefined}
        onClick={() => {
          shell.open({ kind: 'agent', id: agent.agent_id });
          focus.lookAt.value = { kind: 'agent', id: agent.agent_id };
        }}
      >
        <Face id={agent.agent_id} of={agent} size={agent.parent_id ? 24 : 30} />
        <span class="person-words">
          <Words class="strong clip">{agent.name ?? agent.agent_id}</Words>
          <Words class="soft small clip">{belongs(agent)}</Words>
        </span>
        <StateTag agent={agent} />
      </button>
    </li>
  );
}

/** What somebody is here: a role, or where a guest comes from and works. */
export function belongs(agent: AgentView): string {
  if (!agent.source) return roleWords(agent.role);
  return [agent.parent_id ? `Sub-agent, ${guestWords(agent.source)}` : guestWords(agent.source), agent.place].filter(Boolean).join(' · ');
}
