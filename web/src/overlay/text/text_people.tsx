import { costWords } from '../../hud/usage.ts';
import { groupByRoom } from '../../world/campus.ts';
import { activityWords, runnerWords, stateWords } from '../../world/words.ts';
import { AtDesk } from '../agent/at_desk.tsx';
import { Checked } from '../agent/checked.tsx';
import { roleOrOriginWords } from '../agent/people.tsx';
import { nameOf } from '../agent/name.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows all agents as a table, by studio if there are studios. */
export function TextPeople() {
  const { store, shell } = useOffice();
  const agents = store.agents.value;
  const campus = store.campus.value;
  if (agents.length === 0) return <p class="empty">{say.noOneHere}</p>;
  const grouped = campus.length > 1;
  const rows = grouped ? groupByRoom(campus, agents, agents, (a) => a.agent_id).flatMap(({ place, items }) => items.map((a) => ({ a, studio: place.label }))) : agents.map((a) => ({ a, studio: '' }));
  return (
    <div class="table-wrap" tabIndex={0} role="region" aria-label="People, table">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            {grouped && <th scope="col">{say.thingStudio}</th>}
            <th scope="col">Role</th>
            <th scope="col">State</th>
            <th scope="col">Why</th>
            <th scope="col">{say.thingTask}</th>
            <th scope="col">Runner</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ a, studio }) => (
            <tr key={a.agent_id}>
              <th scope="row">
                <button type="button" class="link" onClick={() => shell.open({ kind: 'agent', id: a.agent_id })}>
                  <Words>{a.name ?? a.agent_id}</Words>
                </button>
              </th>
              {grouped && (
                <td>
                  <Words>{studio}</Words>
                </td>
              )}
              <td>
                <Words>{roleOrOriginWords(a)}</Words>
                {a.parent_id && <Words>, started by {nameOf(agents, a.parent_id)}</Words>}
              </td>
              <td>
                {a.activity ? activityWords(a.activity) : stateWords(a.state)}
                {a.needs_you && ', needs you'}
                <Checked of={a.checked} />
                <AtDesk id={a.agent_id} />
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
