import { Hand } from 'lucide';
import type { AgentView } from '../../world/store.ts';
import { statusWords } from '../../world/words.ts';
import { Icon } from '../kit/icon.tsx';
import * as say from '../../contracts/words.gen.ts';

/**
 * Shows an agent's status. For a guest, it shows the status from the evidence, even while the guest's figure is
 * walking.
 */
export function StateTag({ agent }: { agent: AgentView }) {
  const away = agent.state === 'Offline' || agent.activity === 'offline';
  const busy = agent.source ? agent.activity === 'working' : agent.state === 'WorkingAtPOI';
  const tone = agent.needs_you ? 'needs' : away ? 'away' : busy ? 'busy' : 'plain';
  return (
    <span class={`tag state-${tone}`}>
      {agent.needs_you && <Icon of={Hand} size={12} />}
      {agent.needs_you && agent.source ? say.needsYou : statusWords(agent)}
    </span>
  );
}
