import type { FeedRow as Row } from '../../world/store.ts';
import { activityWords, eventWords } from '../../world/words.ts';
import { turnWords } from '../../hud/usage.ts';
import { nameOf } from '../agent/name.ts';
import { Ago } from '../kit/ago.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { eventRef } from './event_ref.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows one line of the timeline; a click opens its task, deliverable, question or agent. */
export function FeedRow({ row }: { row: Row }) {
  const { store, shell, focus } = useOffice();
  const e = row.event;
  const ref = eventRef(e);
  const said = e.meta && e.status?.said;
  const about =
    said ??
    e.preview_text ??
    e.status?.why ??
    (e.usage && turnWords(e.usage)) ??
    e.agents?.map((a) => a.name).join(', ') ??
    e.decision?.prompt ??
    e.choice ??
    store.tasks.value.find((t) => t.task_id === e.task_id)?.title ??
    store.artifacts.value.find((a) => a.artifact_id === ref?.id)?.title ??
    e.project?.title ??
    e.meta?.summary ??
    e.meta?.title ??
    e.reason ??
    '';
  const press = () => {
    if (e.agent_id) focus.lookAt.value = { kind: 'agent', id: e.agent_id };
    if (ref) shell.open(ref);
    else if (e.project_id) shell.showProject(e.project_id);
  };
  return (
    <li>
      <button type="button" class={row.replay ? 'row feed-row old' : 'row feed-row'} onClick={press}>
        <span class="feed-words">
          <span class="strong">{said ? say.replied : e.status ? activityWords(e.status.activity) : row.known ? eventWords(row.name) : <code>{row.name}</code>}</span>
          {e.agent_id && <Words class="soft"> · {nameOf(store.agents.value, e.agent_id)}</Words>}
          {e.via && <Words class="soft"> · via {e.via}</Words>}
          {about && <Words class="soft clip block">{about}</Words>}
        </span>
        <Ago at={row.ts} />
      </button>
    </li>
  );
}
