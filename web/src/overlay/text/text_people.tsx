import { roleWords, stateWords } from '../../world/words.ts';
import { runnerWords } from '../agent/runner.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/** Everybody as a table. */
export function TextPeople() {
  const { store, shell } = useOffice();
  if (store.agents.value.length === 0) return <p class="empty">Nobody is here yet.</p>;
  return (
    <div class="table-wrap" tabIndex={0} role="region" aria-label="People, table">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col">State</th>
            <th scope="col">Why</th>
            <th scope="col">Task</th>
            <th scope="col">Runner</th>
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
              <td>{roleWords(a.role)}</td>
              <td>
                {stateWords(a.state)}
                {a.needs_you && ', needs you'}
              </td>
              <td>
                <Words>{a.why ?? ''}</Words>
              </td>
              <td>
                <Words>{store.tasks.value.find((t) => t.task_id === a.task_id)?.title ?? 'None'}</Words>
              </td>
              <td>{runnerWords(a.runner)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
