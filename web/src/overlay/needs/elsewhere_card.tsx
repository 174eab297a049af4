import { SquareTerminal } from 'lucide';
import { whereToAnswer } from '../../world/words.ts';
import type { AgentView, Need } from '../../world/store.ts';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { NeedHead } from './need_head.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows an agent that is waiting for an answer in its own terminal. */
export function ElsewhereCard({ need, agent }: { need: Need; agent: AgentView }) {
  const { shell } = useOffice();
  return (
    <>
      <NeedHead need={need} verb={say.isWaiting} />
      <p class="prompt">
        <Words>{need.title}</Words>
      </p>
      <p class="about">
        <Icon of={SquareTerminal} size={14} /> <Words class="strong">{whereToAnswer(agent)}</Words>
      </p>
      <div class="options">
        <button type="button" class="button" onClick={() => shell.open({ kind: 'agent', id: need.ref })}>
          Open
        </button>
      </div>
    </>
  );
}
