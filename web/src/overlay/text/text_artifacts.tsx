import type { Artifact } from '../../contracts/protocol.gen.ts';
import { verdicts } from '../../contracts/words.gen.ts';
import { verdictOn } from '../../world/verdict.ts';
import { artifactWords } from '../../world/words.ts';
import { nameOf } from '../agent/name.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/** Lists all deliverables with their status; a click on a deliverable opens it. */
export function TextArtifacts() {
  const { store, shell } = useOffice();
  if (store.artifacts.value.length === 0) return <p class="empty">Nothing delivered yet.</p>;
  const verdictWords = (a: Artifact) => {
    const verdict = verdictOn(a, store.tasks.value.find((t) => t.task_id === a.task_id));
    return verdict ? `, ${verdicts[verdict]}` : '';
  };
  return (
    <ul>
      {store.artifacts.value.map((a) => (
        <li key={a.artifact_id}>
          <button type="button" class="link" onClick={() => shell.open({ kind: 'artifact', id: a.artifact_id })}>
            <Words>{a.title ?? a.type}</Words>
          </button>{' '}
          version {a.version}, {artifactWords(a.status).toLowerCase()}
          {verdictWords(a)}
          {a.created_by && <Words>, by {nameOf(store.agents.value, a.created_by)}</Words>}
        </li>
      ))}
    </ul>
  );
}
