import { AgentPanel } from '../agent/agent_panel.tsx';
import { People } from '../agent/people.tsx';
import { Activity } from '../activity/activity.tsx';
import { StudioList } from '../campus/studios.tsx';
import { Chat } from '../chat/chat.tsx';
import { Feed } from '../feed/feed.tsx';
import { Panel } from '../kit/panel.tsx';
import { Inbox } from '../needs/inbox.tsx';
import { useOffice } from '../office.ts';
import type { PanelName } from '../shell.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows the open panel in the right column. On a phone, it is in the sheet, which cannot be closed. */
export function Side({ name }: { name: PanelName | null }) {
  const { shell, store, focus } = useOffice();
  const close = shell.phone.value ? {} : { onClose: () => (shell.panel.value = null) };
  const selected = focus.selected.value;
  switch (name) {
    case 'needs':
      return (
        <Panel title={<NeedsTitle />} label={say.needsYou} id="needs" class={store.needs.value.length > 0 ? 'side side-needs' : 'side'} {...close}>
          <Inbox />
        </Panel>
      );
    case 'people':
      return (
        <Panel title={say.viewPeople} label={say.viewPeople} class="side" {...close}>
          {shell.phone.value && <StudioList />}
          <People />
        </Panel>
      );
    case 'chat':
      return (
        <Panel title={say.viewChat} label={say.viewChat} class="side side-chat" {...close}>
          <Chat />
        </Panel>
      );
    case 'activity':
      return (
        <Panel title={say.viewActivity} label={say.viewActivity} class="side" {...close}>
          <Activity />
        </Panel>
      );
    case 'feed':
      return (
        <Panel title="Events" label="Events" class="side" {...close}>
          <Feed />
        </Panel>
      );
    case 'agent':
      if (selected?.kind === 'agent') return <AgentPanel key={selected.id} id={selected.id} onClose={() => shell.show(shell.phone.value ? 'people' : 'needs')} />;
      return null;
    default:
      return null;
  }
}

function NeedsTitle() {
  const n = useOffice().store.needs.value.length;
  return (
    <>
      {say.needsYou}
      {n > 0 && <span class="badge loud inline">{n}</span>}
    </>
  );
}
