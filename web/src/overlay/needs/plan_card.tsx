import { useSignal } from '@preact/signals';
import { LayoutList, Play } from 'lucide';
import { unstarted } from '../../world/needs.ts';
import type { Need } from '../../world/store.ts';
import { refused, type Refused } from '../kit/composer.ts';
import { Icon } from '../kit/icon.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { NeedHead } from './need_head.tsx';
import * as say from '../../contracts/words.gen.ts';

const SHOWN = 6;

/** Shows a project's planned tasks, which a person has to start. */
export function PlanCard({ need }: { need: Need }) {
  const { shell, store } = useOffice();
  const refusal = useSignal<Refused | null>(null);
  const project = store.projects.value.find((p) => p.project_id === need.ref);
  const tasks = project ? unstarted(project, store.tasks.value) : [];
  const off = shell.frozen.value !== null;
  const start = async () => {
    const reply = await shell.start(need.ref, true);
    refusal.value = reply.ok ? null : refused(reply);
  };
  return (
    <>
      <NeedHead need={need} verb={say.hasPlan} />
      <p class="prompt">
        <Words>{need.title}</Words>
      </p>
      <ul class="plan soft">
        {tasks.slice(0, SHOWN).map((t) => (
          <li key={t.task_id}>
            <Words class="two-lines">{t.title}</Words>
          </li>
        ))}
        {tasks.length > SHOWN && <li>{say.moreTasks(tasks.length - SHOWN)}</li>}
      </ul>
      <div class="options">
        <button type="button" class="button calm" disabled={off} title={shell.frozen.value ?? 'Start (Y)'} onClick={() => void start()}>
          <Icon of={Play} />
          Start
        </button>
        <button type="button" class="button" onClick={() => shell.showProject(need.ref)}>
          <Icon of={LayoutList} />
          {say.openPlan}
        </button>
      </div>
      <Refusal of={refusal} />
    </>
  );
}
