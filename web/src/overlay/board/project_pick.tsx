import type { Project } from '../../contracts/protocol.gen.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows the project's title, or a select box if there are several projects. */
export function ProjectPick({ project }: { project: Project }) {
  const { store, shell } = useOffice();
  const shown = store.projects.value.filter((p) => p.status !== 'archived');
  if (shown.length < 2) return <Words class="clip">{project.title}</Words>;
  return (
    <select class="pick" dir="auto" aria-label={say.thingProject} value={project.project_id} onChange={(e) => (shell.project.value = e.currentTarget.value)}>
      {shown.map((p) => (
        <option key={p.project_id} value={p.project_id}>
          {p.title}
        </option>
      ))}
    </select>
  );
}
