import { nobody, tallyRooms } from '../../world/campus.ts';
import type { AgentView } from '../../world/store.ts';
import { guestWords, roleWords } from '../../world/words.ts';
import { ByStudio } from '../campus/by_studio.tsx';
import { numbered, showAgent } from '../campus/go.ts';
import { TallyCounts } from '../campus/tally_counts.tsx';
import { Face } from '../kit/face.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { StateTag } from './state_tag.tsx';
import * as say from '../../contracts/words.gen.ts';

type Wanted = ReadonlyMap<string | undefined, string>;

/** Lists all agents, grouped by studio if there are studios. */
export function People() {
  const { store } = useOffice();
  const agents = store.agents.value;
  if (agents.length === 0) return <p class="empty">{say.noOneHere}</p>;
  const wanted: Wanted = new Map(store.needs.value.toReversed().map((need) => [need.agent_id, say.needs[need.kind]]));
  const tally = tallyRooms(agents);
  return (
    <ByStudio of={agents} agentOf={(a) => a.agent_id} counts={(_, { id }) => <TallyCounts of={tally.get(id) ?? nobody} />} mustSee={(a) => wanted.has(a.agent_id)}>
      {(here) => <Present of={here} wanted={wanted} titled={store.campus.value.length < 2} />}
    </ByStudio>
  );
}

/** Lists the agents that are waiting for you, then the crew, then guests, with sub-agents below their parent. */
function Present({ of, wanted, titled }: { of: readonly AgentView[]; wanted: Wanted; titled: boolean }) {
  const rest = of.filter((a) => !wanted.has(a.agent_id));
  return (
    <>
      <Group title={titled && 'Need you'} of={of.filter((a) => wanted.has(a.agent_id))} wanted={wanted} />
      <Group title={titled && 'Crew'} of={rest.filter((a) => !a.source)} />
      <Guests title={titled && 'Guests'} of={inFamilies(rest.filter((a) => a.source))} />
    </>
  );
}

/** Lists guests; several ended sessions in one folder share one expandable entry. */
function Guests({ title, of }: { title: string | false; of: readonly AgentView[] }) {
  const [rows, folders] = folded(of);
  return (
    <>
      <Group title={title} of={rows} />
      {folders.map(([place, ended]) => (
        <details key={place} class="ended">
          <summary class="soft">
            <Words class="clip">{place.split('/').at(-1) || place}</Words>: {say.ended(ended.length)}
          </summary>
          <Group of={ended} />
        </details>
      ))}
    </>
  );
}

/** Returns the guests to list one by one, and the ended sessions of each folder that has several. */
export function folded(guests: readonly AgentView[]): [rows: readonly AgentView[], folders: readonly (readonly [string, readonly AgentView[]])[]] {
  const ended = new Map<string, AgentView[]>();
  for (const g of guests) if (g.activity === 'offline' && !g.parent_id && g.place) ended.set(g.place, [...(ended.get(g.place) ?? []), g]);
  const folders = [...ended].filter(([, some]) => some.length > 1);
  const away = new Set(folders.flatMap(([, some]) => some));
  return [guests.filter((g) => !away.has(g)), folders];
}

function Group({ title = false, of, wanted }: { title?: string | false; of: readonly AgentView[]; wanted?: Wanted }) {
  const keys = numbered(useOffice()).slice(0, 9);
  if (of.length === 0) return null;
  return (
    <>
      {title && (
        <h3>
          {title} · {of.length}
        </h3>
      )}
      <ul class="people">
        {of.map((agent) => (
          <PersonRow key={agent.agent_id} agent={agent} at={keys.findIndex((k) => k.kind === 'agent' && k.id === agent.agent_id) + 1} line={wanted?.get(agent.agent_id) ?? roleOrOriginWords(agent)} />
        ))}
      </ul>
    </>
  );
}

/** Sorts sub-agents below their parent; sub-agents whose parent is not in the list stay at the top level. */
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
  for (const guest of guests) add(guest); // adds the remaining guests, which are each other's parents
  return out;
}

function PersonRow({ agent, at, line }: { agent: AgentView; at: number; line: string }) {
  const office = useOffice();
  const { shell, focus } = office;
  return (
    <li class={agent.parent_id ? 'sub' : undefined}>
      <button
        type="button"
        class="row person"
        aria-current={focus.selected.value?.kind === 'agent' && focus.selected.value.id === agent.agent_id ? true : undefined}
        title={at > 0 ? `Key ${at}` : undefined}
        onClick={() => {
          shell.open({ kind: 'agent', id: agent.agent_id });
          showAgent(office, agent.agent_id);
        }}
      >
        <Face id={agent.agent_id} of={agent} size={agent.parent_id ? 24 : 30} />
        <span class="person-words">
          <Words class="strong clip">{agent.name ?? agent.agent_id}</Words>
          <Words class="soft small clip">{line}</Words>
        </span>
        <StateTag agent={agent} />
      </button>
    </li>
  );
}

/** Returns an agent's role, or a guest's source and folder. */
export function roleOrOriginWords(agent: AgentView): string {
  if (!agent.source) return roleWords(agent.role);
  return [agent.parent_id ? say.subAgentOf(guestWords(agent)) : guestWords(agent), agent.place].filter(Boolean).join(' · ');
}
