import { AgentPanel } from '../agent/agent_panel.tsx';
import { People } from '../agent/people.tsx';
import { Tree } from '../activity/tree.tsx';
import { Chat } from '../chat/chat.tsx';
import { Feed } from '../feed/feed.tsx';
import { Panel } from '../kit/panel.tsx';
import { Inbox } from '../needs/inbox.tsx';
import { useOffice } from '../office.ts';

/** The one panel of the right column. */
export function Side() {
  const { shell, store, focus } = useOffice();
  const close = () => (shell.panel.value = null);
  const selected = focus.selected.value;
  switch (shell.panel.value) {
    case 'needs':
      return (
        <Panel title={<NeedsTitle />} label="Needs you" id="needs" class={store.needs.value.length > 0 ? 'side side-needs' : 'side'} onClose={close}>
          <Inbox />
        </Panel>
      );
    case 'people':
      return (
        <Panel title="People" label="People" class="side" onClose={close}>
          <People />
        </Panel>
      );
    case 'chat':
      return (
        <Panel title="Chat" label="Chat" class="side side-chat" onClose={close}>
          <Chat />
        </Panel>
      );
    case 'activity':
      return (
        <Panel title="Activity" label="Activity" class="side" onClose={close}>
          <Tree nodes={store.hud.value} named />
        </Panel>
      );
    case 'feed':
      return (
        <Panel title="Events" label="Events" class="side" onClose={close}>
          <Feed />
        </Panel>
      );
    case 'agent':
      if (selected?.kind === 'agent') return <AgentPanel key={selected.id} id={selected.id} onClose={() => shell.show('needs')} />;
      return null;
    default:
      return null;
  }
}

function NeedsTitle() {
  const n = useOffice().store.needs.value.length;
  return (
    <>
      Needs you
      {n > 0 && <span class="badge loud inline">{n}</span>}
    </>
  );
}
