import { Activity, Bell, Cable, Keyboard, MessageCircle, ScrollText, Search, Settings, TextAlignStart, Users } from 'lucide';
import type { IconNode } from 'lucide';
import { unread } from '../chat/threads.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import type { PanelName } from '../shell.ts';
import * as say from '../../contracts/words.gen.ts';

const panels: readonly [PanelName, string, IconNode][] = [
  ['needs', say.needsYou, Bell],
  ['people', say.viewPeople, Users],
  ['chat', say.viewChat, MessageCircle],
  ['activity', say.viewActivity, Activity],
  ['feed', 'Events', ScrollText],
];

/** The buttons that open panels and dialogs. */
export function Dock() {
  const { shell, store } = useOffice();
  const badges: Partial<Record<PanelName, number>> = {
    needs: store.needs.value.length,
    chat: unread(store.chats.value, shell.seen.value),
  };
  return (
    <nav class="card dock" aria-label="Panels">
      {panels.map(([name, label, icon]) => (
        <DockButton
          key={name}
          label={label}
          icon={icon}
          badge={badges[name] ?? 0}
          loud={name === 'needs'}
          open={shell.panel.value === name}
          onClick={() => (shell.panel.value = shell.panel.value === name ? null : name)}
        />
      ))}
      <span class="dock-gap" aria-hidden="true" />
      <DockButton label="Find anything (Ctrl K)" icon={Search} onClick={() => (shell.dialog.value = { kind: 'palette' })} />
      <DockButton label="Connect agents (H)" icon={Cable} onClick={() => (shell.dialog.value = { kind: 'connect' })} />
      <DockButton label="Text view" icon={TextAlignStart} onClick={() => (shell.textChosen.value = true)} />
      <DockButton label="Keys (?)" icon={Keyboard} onClick={() => (shell.dialog.value = { kind: 'keys' })} />
      <DockButton label="Settings" icon={Settings} onClick={() => (shell.dialog.value = { kind: 'settings' })} />
    </nav>
  );
}

interface ButtonProps {
  label: string;
  icon: IconNode;
  badge?: number;
  loud?: boolean;
  open?: boolean;
  onClick: () => void;
}

function DockButton({ label, icon, badge = 0, loud, open, onClick }: ButtonProps) {
  return (
    <button type="button" class="icon-button dock-button" title={label} aria-label={badge > 0 ? `${label}: ${badge}` : label} aria-pressed={open} onClick={onClick}>
      <Icon of={icon} size={18} />
      {badge > 0 && <span class={loud ? 'badge loud' : 'badge'}>{badge > 99 ? '99+' : badge}</span>}
    </button>
  );
}
