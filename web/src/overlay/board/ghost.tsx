import { useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { nameOf } from '../agent/name.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/** The card under the pointer during a drag. */
export function Ghost() {
  const { focus, store } = useOffice();
  const ref = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const drag = focus.drag.value;
    if (drag && ref.current) ref.current.style.transform = `translate(${drag.x + 10}px, ${drag.y + 10}px)`;
  });
  const drag = focus.drag.value;
  const task = drag && store.tasks.value.find((t) => t.task_id === drag.taskId);
  return (
    <div ref={ref} class="card ghost" hidden={!task} aria-hidden="true">
      <Words class="strong">{task?.title}</Words>
      {drag?.over && <span class="tag">→ {nameOf(store.agents.value, drag.over)}</span>}
    </div>
  );
}
