import { Hand } from 'lucide';
import type { AgentView } from '../../world/store.ts';
import { roleWords, stateWords } from '../../world/words.ts';
import { Face } from '../kit/face.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/** Everybody in the office, one line each. */
export function People() {
  const { store, shell, focus } = useOffice();
  const agents = store.agents.value;
  if (agents.length === 0) return <p class="empty">Nobody is here yet.</p>;
  return (
    <ul class="people">
      {agents.map((agent, i) => (
        <li key={agent.agent_id}>
          <button
            type="button"
            class="row person"
            aria-current={focus.selected.value?.kind === 'agent' && focus.selected.value.id === agent.agent_id ? true : undefined}
            title={i < 9 ? `Key ${i + 1}` : undefined}
            onClick={() => {
              shell.open({ kind: 'agent', id: agent.agent_id });
              focus.lookAt.value = { kind: 'agent', id: agent.agent_id };
            }}
          >
            <Face id={agent.agent_id} role={agent.role} size={30} />
            <span class="person-words">
              <Words class="strong clip">{agent.name ?? agent.agent_id}</Words>
              <span class="soft small clip">{roleWords(agent.role)}</span>
            </span>
            <StateTag agent={agent} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What somebody does, as a word in a shape. */
export function StateTag({ agent }: { agent: AgentView }) {
  const tone = agent.needs_you ? 'needs' : agent.state === 'Offline' ? 'away' : agent.state === 'WorkingAtPOI' ? 'busy' : 'plain';
  return (
    <span class={`tag state-${tone}`}>
      {agent.needs_you && <Icon of={Hand} size={12} />}
      {stateWords(agent.state)}
    </span>
  );
}
