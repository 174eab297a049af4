import { board } from '../../world/board.ts';
import { taskWords } from '../../world/words.ts';
import { Icon } from '../kit/icon.tsx';
import { Panel } from '../kit/panel.tsx';
import { useOffice } from '../office.ts';
import { mainProject } from './progress.ts';
import { ProjectPick } from './project_pick.tsx';
import { ProjectTools } from './project_tools.tsx';
import { TaskCard } from './task_card.tsx';
import { taskIcons } from './task_icon.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows all tasks of a project in columns. */
export function Board({ onClose }: { onClose?: () => void }) {
  const { store, shell, focus } = useOffice();
  const project = mainProject(store.projects.value, shell.project.value);
  const tasks = store.tasks.value.filter((t) => t.project_id === project?.project_id);
  const cancelled = tasks.filter((t) => t.status === 'cancelled').length;
  return (
    <Panel
      title={project ? <ProjectPick project={project} /> : 'Tasks'}
      label="Task board"
      class={focus.drag.value ? 'board carrying' : 'board'}
      tools={project && <ProjectTools project={project} tasks={tasks} />}
      {...(onClose && { onClose })}
    >
      {!project && <p class="empty">{say.noProject}</p>}
      {project && (
        <div class="columns">
          {board(tasks).map((column) => (
            <section key={column.status} class="column" data-column={column.status} aria-label={`${column.title}: ${column.tasks.length}`}>
              <h3>
                <Icon of={taskIcons[column.status]} size={14} />
                {column.title}
                <span class="soft">{column.tasks.length}</span>
              </h3>
              <ul>
                {column.tasks.map((task) => (
                  <li key={task.task_id}>
                    <TaskCard task={task} />
                  </li>
                ))}
              </ul>
              {column.tasks.length === 0 && <p class="hollow">{say.nothingHere}</p>}
            </section>
          ))}
        </div>
      )}
      {cancelled > 0 && (
        <p class="soft small">
          {cancelled} {taskWords('cancelled').toLowerCase()}
        </p>
      )}
    </Panel>
  );
}
