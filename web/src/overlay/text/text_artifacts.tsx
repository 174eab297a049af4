import { verdicts } from '../../contracts/words.gen.ts';
import { artifactWords } from '../../world/words.ts';
import { nameOf } from '../agent/name.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/** Lists all deliverables with their status; a click on a deliverable opens it. */
export function TextArtifacts() {
  const { store, shell } = useOffice();
  if (store.artifacts.value.length === 0) return <p class="empty">Nothing delivered yet.</p>;
  const verdictOf = (id: string | undefined) => {
    const task = store.tasks.value.find((t) => t.task_id === id);
    return task?.verdict ? `, ${verdicts[task.verdict]}` : '';
  };
  return (
    <ul>
      {store.artifacts.value.map((a) => (
        <li key={a.artifact_id}>
          <button type="button" class="link" onClick={() => shell.open({ kind: 'artifact', id: a.artifact_id })}>
            <Words>{a.title ?? a.type}</Words>
          </button>{' '}
          version {a.version}, {artifactWords(a.status).toLowerCase()}
          {verdictOf(a.task_id)}
          {a.created_by && <Words>, by {nameOf(store.agents.value, a.created_by)}</Words>}
        </li>
      ))}
    </ul>
  );
}
