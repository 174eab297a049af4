import { costWords } from '../../hud/usage.ts';
import { activityWords, runnerWords, stateWords } from '../../world/words.ts';
import { belongs } from '../agent/people.tsx';
import { nameOf } from '../agent/name.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows all agents as a table. */
export function TextPeople() {
  const { store, shell } = useOffice();
  if (store.agents.value.length === 0) return <p class="empty">{say.noOneHere}</p>;
  return (
    <div class="table-wrap" tabIndex={0} role="region" aria-label="People, table">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col">State</th>
            <th scope="col">Why</th>
            <th scope="col">{say.thingTask}</th>
            <th scope="col">Runner</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {store.agents.value.map((a) => (
            <tr key={a.agent_id}>
              <th scope="row">
                <button type="button" class="link" onClick={() => shell.open({ kind: 'agent', id: a.agent_id })}>
                  <Words>{a.name ?? a.agent_id}</Words>
                </button>
              </th>
              <td>
                <Words>{belongs(a)}</Words>
                {a.parent_id && <Words>, started by {nameOf(store.agents.value, a.parent_id)}</Words>}
              </td>
              <td>
                {a.activity ? activityWords(a.activity) : stateWords(a.state)}
                {a.needs_you && ', needs you'}
              </td>
              <td>
                <Words>{a.why ?? ''}</Words>
              </td>
              <td>
                <Words>{store.tasks.value.find((t) => t.task_id === a.task_id)?.title ?? 'None'}</Words>
              </td>
              <td>{a.source ? 'Elsewhere' : runnerWords(a)}</td>
              <td>{a.usage ? costWords(a.usage) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
