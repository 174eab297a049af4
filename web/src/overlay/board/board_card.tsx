import { Columns3, Sprout } from 'lucide';
import { projectWords } from '../../world/words.ts';
import { Bar } from '../kit/bar.tsx';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import { byInterest, mainProject, projectPercent } from './progress.ts';
import { ProjectPick } from './project_pick.tsx';
import { ProjectTools } from './project_tools.tsx';
import { TaskLine } from './task_line.tsx';
import * as say from '../../contracts/words.gen.ts';

const LINES = 4;

/** Shows a summary of the current project: its progress and most relevant tasks. */
export function BoardCard() {
  const { store, shell } = useOffice();
  const project = mainProject(store.projects.value, shell.project.value);
  if (!project) {
    return (
      <section class="card board-card" aria-label={say.thingProject}>
        <p class="empty">
          <Icon of={Sprout} size={22} />
          {say.noProject}
        </p>
      </section>
    );
  }
  const tasks = store.tasks.value.filter((t) => t.project_id === project.project_id);
  const done = tasks.filter((t) => t.status === 'done').length;
  const percent = projectPercent(tasks);
  return (
    <section class="card board-card" aria-label={say.thingProject}>
      <header class="panel-head">
        <h2>
          <ProjectPick project={project} />
        </h2>
        <button type="button" class="icon-button" aria-label={say.openBoard} title={say.openBoard} onClick={() => (shell.board.value = true)}>
          <Icon of={Columns3} size={18} />
        </button>
      </header>
      <p class="soft board-sum">
        <span>{projectWords(project.status)}</span>
        <span>{tasks.length > 0 ? say.doneOf(done, tasks.length, Math.round(percent)) : say.beingPlanned}</span>
      </p>
      <Bar percent={percent} label="Work" />
      <ul class="task-lines">
        {byInterest(tasks)
          .slice(0, LINES)
          .map((task) => (
            <li key={task.task_id}>
              <TaskLine task={task} />
            </li>
          ))}
      </ul>
      {tasks.length > LINES && (
        <button type="button" class="link" onClick={() => (shell.board.value = true)}>
          {tasks.length - LINES} more on the board
        </button>
      )}
      <ProjectTools project={project} tasks={tasks} />
    </section>
  );
}
