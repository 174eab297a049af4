import { Pause, Play, Sparkles } from 'lucide';
import type { Project, Task } from '../../contracts/protocol.gen.ts';
import { unstarted } from '../../world/needs.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** The commands for a whole project. */
export function ProjectTools({ project, tasks }: { project: Project; tasks: readonly Task[] }) {
  const { shell } = useOffice();
  const off = shell.frozen.value !== null;
  const why = shell.frozen.value ?? undefined;
  const data = { project_id: project.project_id };
  const waiting = unstarted(project, tasks).length;
  const paused = project.status === 'paused';
  const over = project.status === 'completed' || project.status === 'archived';
  return (
    <div class="options">
      {waiting > 0 && (
        <button type="button" class="button calm small" disabled={off} title={why} onClick={() => void shell.start(project.project_id)}>
          <Icon of={Sparkles} size={14} />
          Auto-assign {waiting}
        </button>
      )}
      {!over && (
        <button
          type="button"
          class="button small"
          disabled={off}
          title={why}
          onClick={() => void shell.act(paused ? 'resume_project' : 'pause_project', data, paused ? say.resumed : say.paused)}
        >
          <Icon of={paused ? Play : Pause} size={14} />
          {paused ? say.resume : say.pause}
        </button>
      )}
    </div>
  );
}
