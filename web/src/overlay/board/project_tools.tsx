import { Pause, Play, Sparkles, Users } from 'lucide';
import type { Project, Task } from '../../contracts/protocol.gen.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';

/** What can be done with a whole project now. */
export function ProjectTools({ project, tasks }: { project: Project; tasks: readonly Task[] }) {
  const { shell } = useOffice();
  const off = shell.frozen.value !== null;
  const why = shell.frozen.value ?? undefined;
  const data = { project_id: project.project_id };
  const waiting = tasks.filter((t) => t.status === 'planned' && !t.assignee).length;
  const paused = project.status === 'paused';
  const over = project.status === 'completed' || project.status === 'archived';
  return (
    <div class="options">
      {waiting > 0 && !paused && (
        <button type="button" class="button calm small" disabled={off} title={why} onClick={() => void shell.act('auto_assign', data, 'Tasks are handed out.')}>
          <Icon of={Sparkles} size={14} />
          Auto-assign {waiting}
        </button>
      )}
      {project.status === 'planning' && tasks.length === 0 && (
        <button type="button" class="button small" disabled={off} title={why} onClick={() => void shell.act('start_kickoff', data, 'Kickoff!')}>
          <Icon of={Users} size={14} />
          Start kickoff
        </button>
      )}
      {!over && (
        <button
          type="button"
          class="button small"
          disabled={off}
          title={why}
          onClick={() => void shell.act(paused ? 'resume_project' : 'pause_project', data, paused ? 'Work goes on.' : 'Paused. Nothing new starts.')}
        >
          <Icon of={paused ? Play : Pause} size={14} />
          {paused ? 'Resume' : 'Pause'}
        </button>
      )}
    </div>
  );
}
