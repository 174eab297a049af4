import { useSignal } from '@preact/signals';
import type { NoticeRow as Row } from '../../world/store.ts';
import { nameOf } from '../agent/name.ts';
import { Ago } from '../kit/ago.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { levelLook } from '../frame/notice.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows a workflow message in the timeline; a click shows its full text. */
export function NoticeRow({ row }: { row: Row }) {
  const { store } = useOffice();
  const open = useSignal(false);
  const { tone, icon } = levelLook[row.level];
  return (
    <li>
      <button type="button" class={row.replay ? 'row feed-row old' : 'row feed-row'} aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <span class={`feed-level level-${tone}`}>
          <Icon of={icon} size={14} />
        </span>
        <span class="feed-words">
          <Words class="strong">{row.title ?? say.noticeLevels[row.level]}</Words>
          {row.agent_id && <Words class="soft"> · {nameOf(store.agents.value, row.agent_id)}</Words>}
          <Words class={open.value ? 'soft block whole' : 'soft clip block'}>{row.text}</Words>
        </span>
        <Ago at={row.ts} />
      </button>
    </li>
  );
}
