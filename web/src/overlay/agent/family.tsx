import { CornerDownRight, CornerLeftUp } from 'lucide';
import type { IconNode } from 'lucide';
import type { AgentView } from '../../world/store.ts';
import { Face } from '../kit/face.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { StateTag } from './state_tag.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows an agent's parent and its sub-agents. */
export function Family({ agent }: { agent: AgentView }) {
  const agents = useOffice().store.agents.value;
  const parent = agents.find((a) => a.agent_id === agent.parent_id);
  const subs = agents.filter((a) => a.parent_id === agent.agent_id && a !== agent);
  if (!parent && subs.length === 0) return null;
  return (
    <section>
      <h3>{parent ? say.startedBy : say.subAgents(subs.length)}</h3>
      <ul class="people">
        {parent && <Relative of={parent} icon={CornerLeftUp} />}
        {subs.map((sub) => (
          <Relative key={sub.agent_id} of={sub} icon={CornerDownRight} />
        ))}
      </ul>
    </section>
  );
}

function Relative({ of, icon }: { of: AgentView; icon: IconNode }) {
  const { shell, focus } = useOffice();
  const show = () => {
    shell.open({ kind: 'agent', id: of.agent_id });
    focus.lookAt.value = { kind: 'agent', id: of.agent_id };
  };
  return (
    <li>
      <button type="button" class="row person" onClick={show}>
        <Icon of={icon} size={14} />
        <Face id={of.agent_id} of={of} size={24} />
        <Words class="strong clip">{of.name ?? of.agent_id}</Words>
        <StateTag agent={of} />
      </button>
    </li>
  );
}
