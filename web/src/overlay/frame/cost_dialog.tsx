import { costWords, sumUsage, tokens } from '../../hud/usage.ts';
import type { AgentView } from '../../world/store.ts';
import { ByStudio } from '../campus/by_studio.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Face } from '../kit/face.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { officeCostLines } from './office_cost.tsx';

const costOf = (agents: readonly AgentView[]) => sumUsage(agents.flatMap((a) => a.usage ?? []));

/** Shows the office's usage and that of each agent present, grouped by studio if there are studios. */
export function CostDialog() {
  const { store, shell } = useOffice();
  const { usage } = store;
  const agents = store.agents.value.filter((a) => a.usage);
  return (
    <Dialog title="Cost" label="Cost" class="small-dialog" onClose={() => (shell.dialog.value = null)}>
      {usage.value && officeCostLines(usage.value).map((line) => <p key={line}>{line}</p>)}
      <ByStudio of={agents} agentOf={(a) => a.agent_id} counts={(here) => costWords(costOf(here))}>
        {(here) => (
          <ul class="people">
            {here.map((a) => (
              <CostRow key={a.agent_id} agent={a} />
            ))}
          </ul>
        )}
      </ByStudio>
    </Dialog>
  );
}

function CostRow({ agent }: { agent: AgentView }) {
  const used = costOf([agent]);
  return (
    <li class="row">
      <Face id={agent.agent_id} of={agent} size={24} />
      <Words class="clip room-name">{agent.name ?? agent.agent_id}</Words>
      <span class="soft small">
        {tokens(used.tokens_in)} in · {tokens(used.tokens_out)} out
      </span>
      <span class="tag">{costWords(used)}</span>
    </li>
  );
}
