import { Bell, Ellipsis, Kanban, MessageCircle, Users } from 'lucide';
import type { IconNode } from 'lucide';
import { Board } from '../board/board.tsx';
import { unread } from '../chat/threads.ts';
import { Icon } from '../kit/icon.tsx';
import { Panel } from '../kit/panel.tsx';
import { useOffice } from '../office.ts';
import type { PanelName } from '../shell.ts';
import { Grab } from './grab.tsx';
import { RequestBar } from './request_bar.tsx';
import { Side } from './side.tsx';
import * as say from '../../contracts/words.gen.ts';

const tabs: readonly [PanelName, string, IconNode][] = [
  ['needs', say.needsYou, Bell],
  ['people', say.viewPeople, Users],
  ['tasks', 'Tasks', Kanban],
  ['chat', say.viewChat, MessageCircle],
  ['more', 'More', Ellipsis],
];

/** The phone layout: the room on top, one collapsible panel below it, and tabs at the bottom. */
export function Phone() {
  const { shell, store } = useOffice();
  const panel = shell.panel.value ?? 'needs';
  const badges: Partial<Record<PanelName, number>> = { needs: store.needs.value.length, chat: unread(store.chats.value, shell.seen.value) };
  return (
    <>
      <div class="sheet">
        <Grab />
        {!shell.roomFullScreen.value && (
          <>
            {panel === 'tasks' ? <Board /> : panel === 'more' ? <More /> : <Side name={panel} />}
            {(panel === 'needs' || panel === 'tasks') && <RequestBar />}
          </>
        )}
      </div>
      <nav class="tabs" aria-label="Panels">
        {tabs.map(([name, label, icon]) => (
          <button key={name} type="button" class="tab" aria-current={panel === name && !shell.roomFullScreen.value ? 'page' : undefined} onClick={() => shell.show(name)}>
            <Icon of={icon} size={20} />
            {label}
            {(badges[name] ?? 0) > 0 && <span class={name === 'needs' ? 'badge loud' : 'badge'}>{badges[name]}</span>}
          </button>
        ))}
      </nav>
    </>
  );
}

function More() {
  const { shell } = useOffice();
  const rows: readonly [string, () => void][] = [
    ['Events', () => shell.show('feed')],
    [say.viewActivity, () => shell.show('activity')],
    [say.findAnything, () => (shell.dialog.value = { kind: 'palette' })],
    ['Connect agents', () => (shell.dialog.value = { kind: 'connect' })],
    ['Text view', () => (shell.textChosen.value = true)],
    ['Settings', () => (shell.dialog.value = { kind: 'settings' })],
    [say.viewKeys, () => (shell.dialog.value = { kind: 'keys' })],
  ];
  return (
    <Panel title="More" label="More" class="side">
      <ul class="people">
        {rows.map(([label, run]) => (
          <li key={label}>
            <button type="button" class="row" onClick={run}>
              {label}
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
