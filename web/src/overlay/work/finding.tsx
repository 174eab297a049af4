import { Bot } from 'lucide';
import { nameOf } from '../agent/name.ts';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { spotWords, type AgentFinding } from './review.ts';

/** Shows an agent's finding about a line, with the line's name if the card is not shown below the line. */
export function FindingCard({ finding, named = false }: { finding: AgentFinding; named?: boolean }) {
  const { store } = useOffice();
  const { agentId, severity, text } = finding;
  return (
    <div class="comment finding">
      <Icon of={Bot} size={14} />
      <div class="comment-text">
        <span class="finding-head">
          <Words class="strong">{nameOf(store.agents.value, agentId)}</Words>
          <span class={severity === 'problem' ? 'tag bad' : 'tag'}>{severity}</span>
          {named && (
            <code>
              <Words>{spotWords(finding)}</Words>
            </code>
          )}
        </span>
        <Words>{text}</Words>
      </div>
    </div>
  );
}
