import { needName } from '../agent/name.ts';
import { Ago } from '../kit/ago.tsx';
import { Face } from '../kit/face.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import type { Need } from '../../world/store.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows which agent is waiting, why, and for how long. A click shows the agent in the room. */
export function NeedHead({ need, verb }: { need: Need; verb: string }) {
  const { store, focus } = useOffice();
  const id = need.agent_id;
  return (
    <div class="need-head">
      {id && (
        <button type="button" class="who" onClick={() => (focus.lookAt.value = { kind: 'agent', id })} title="Show in the room">
          <Face id={id} of={store.agents.value.find((a) => a.agent_id === id)} />
          <Words class="strong clip">{needName(store.agents.value, need)!}</Words>
        </button>
      )}
      {!id && <span class="strong">{say.script}</span>}
      <span class="soft">{verb}</span>
      <Ago at={need.since} />
    </div>
  );
}
