import { projectWords, taskWords } from '../../world/words.ts';
import { nameOf } from '../agent/name.ts';
import { ProjectTools } from '../board/project_tools.tsx';
import { taskPercent } from '../board/progress.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows each project with its tasks as a table. */
export function TextProjects() {
  const { store, shell } = useOffice();
  const frozen = shell.frozen.value !== null;
  if (store.projects.value.length === 0) return <p class="empty">{say.noProject}</p>;
  return (
    <>
      {store.projects.value.map((project) => {
        const tasks = store.tasks.value.filter((t) => t.project_id === project.project_id);
        return (
          <article key={project.project_id}>
            <h3>
              <Words>{project.title}</Words> <span class="tag">{projectWords(project.status)}</span>
            </h3>
            <ProjectTools project={project} tasks={tasks} />
            <div class="table-wrap" tabIndex={0} role="region" aria-label={`Tasks in ${project.title}`}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{say.thingTask}</th>
                    <th scope="col">Status</th>
                    <th scope="col">Assignee</th>
                    <th scope="col">Done</th>
                    <th scope="col">Actions</th>
                  </tr>
                </thead>
                <tbody>
                  {tasks.map((task) => (
                    <tr key={task.task_id}>
                      <th scope="row">
                        <Words>{task.title}</Words>
                      </th>
                      <td>
                        {taskWords(task.status)}
                        {task.blocked_reason && <Words>: {task.blocked_reason}</Words>}
                      </td>
                      <td>{task.assignee ? <Words>{nameOf(store.agents.value, task.assignee)}</Words> : 'Nobody'}</td>
                      <td>{Math.round(taskPercent(task))}%</td>
                      <td>
                        {task.status === 'done' || task.status === 'cancelled' ? (
                          <button type="button" class="link" disabled={frozen} aria-label={`Run ${task.title} again`} onClick={() => void shell.act('rerun_task', { source_task_id: task.task_id }, say.copyPlanned)}>
                            {say.runAgain}
                          </button>
                        ) : (
                          <>
                            <button type="button" class="link" disabled={frozen} aria-label={`Assign ${task.title}`} onClick={() => (shell.dialog.value = { kind: 'assign', taskId: task.task_id })}>
                              Assign…
                            </button>{' '}
                            <button type="button" class="link" disabled={frozen} aria-label={`Cancel ${task.title}`} onClick={() => (shell.dialog.value = { kind: 'cancel', taskId: task.task_id })}>
                              {say.cancelMenu}
                            </button>
                          </>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </article>
        );
      })}
    </>
  );
}
