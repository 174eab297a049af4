import { useSignal } from '@preact/signals';
import type { UiRow as Row } from '../../world/store.ts';
import { JsonTree } from '../work/json_tree.tsx';
import { nameOf } from '../agent/name.ts';
import { Ago } from '../kit/ago.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/** Shows a workflow event: its text, or why it was ignored, and its raw JSON. */
export function UiRow({ row }: { row: Row }) {
  const { store, shell } = useOffice();
  const open = useSignal(false);
  const { ui } = row;
  const text = ui.normalized?.['text'] ?? ui.normalized?.['prompt'] ?? ui.normalized?.['tool'];
  const asked = store.decisions.value.find((d) => d.decision_id === ui.decision_id);
  return (
    <li>
      <button type="button" class="row feed-row" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <span class="feed-words">
          <code>{ui.name || '(no name)'}</code>
          {ui.agent_id && <Words class="soft"> · {nameOf(store.agents.value, ui.agent_id)}</Words>}
          {ui.ignored ? (
            <span class="block">
              <span class="tag bad">ignored</span> <Words class="soft">{ui.ignored}</Words>
            </span>
          ) : (
            typeof text === 'string' && <Words class="soft clip block">{text}</Words>
          )}
        </span>
        <Ago at={row.ts} />
      </button>
      {asked?.status === 'open' && (
        <button type="button" class="link" onClick={() => shell.open({ kind: 'decision', id: asked.decision_id })}>
          Answer it
        </button>
      )}
      {open.value && (
        <div class="node-more">
          {ui.normalized && <JsonTree name="normalized" value={ui.normalized} open />}
          <JsonTree name="raw" value={ui.raw} open />
        </div>
      )}
    </li>
  );
}
