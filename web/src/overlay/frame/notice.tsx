import { useSignal } from '@preact/signals';
import { CircleAlert, CircleCheck, Info, TriangleAlert, X, type IconNode } from 'lucide';
import type { NoticeRow } from '../../world/store.ts';
import { nameOf } from '../agent/name.ts';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

const SHOWN = 3;
/** How many messages are shown on a phone, where the room is small. */
const SHOWN_SMALL = 1;
const CHARS = 2000;
/** How long a message is shown; warnings and errors stay until they are dismissed. */
const SHOWN_MS = 20_000;
type Tone = 'plain' | 'good' | 'warn' | 'bad';
/** The tone and icon of each level. */
export const levelLook: Readonly<Record<NoticeRow['level'], { tone: Tone; icon: IconNode }>> = {
  info: { tone: 'plain', icon: Info },
  success: { tone: 'good', icon: CircleCheck },
  warning: { tone: 'warn', icon: TriangleAlert },
  error: { tone: 'bad', icon: CircleAlert },
};

/** Shows a message from a workflow, with a close button if onClose is set. */
export function Notice({ title, text, level = 'info', onClose }: { title?: string; text: string; level?: NoticeRow['level']; onClose?: () => void }) {
  const { tone, icon } = levelLook[level];
  return (
    <div class={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon of={icon} />
      <div>
        {title && (
          <p class="strong">
            <Words>{title}</Words>
          </p>
        )}
        <p>
          <Words>{text}</Words>
        </p>
      </div>
      {onClose && (
        <button type="button" class="icon-button tiny" aria-label="Dismiss" title="Dismiss" onClick={onClose}>
          <Icon of={X} size={14} />
        </button>
      )}
    </div>
  );
}

/** Shows the newest of the workflow messages that arrived after the page was opened. */
export function Notices() {
  const { store, shell } = useOffice();
  const dismissed = useSignal<ReadonlySet<string>>(new Set());
  void shell.clock.value; // re-renders every second
  const now = store.now();
  const lasts = (row: NoticeRow) => row.level === 'warning' || row.level === 'error' || now - row.ts < SHOWN_MS;
  const all = store.notices.value.filter((row) => !row.replay && !dismissed.value.has(row.id) && lasts(row));
  const rows = all.slice(shell.phone.value ? -SHOWN_SMALL : -SHOWN);
  const dismiss = (id: string) => {
    const known = store.notices.peek().filter((row) => dismissed.peek().has(row.id));
    dismissed.value = new Set([...known.map((row) => row.id), id]);
  };
  return (
    <>
      {rows.map((row) => (
        <div key={row.id} class="card" style={{ maxHeight: '28dvh', overflowY: 'auto' }}>
          <Notice title={headOf(row, row.agent_id && nameOf(store.agents.value, row.agent_id))} text={shorten(row.text)} level={row.level} onClose={() => dismiss(row.id)} />
        </div>
      ))}
      {all.length > rows.length && (
        <button type="button" class="card link" onClick={() => shell.show('feed')}>
          {all.length - rows.length} more in Events
        </button>
      )}
    </>
  );
}

function headOf(row: NoticeRow, who: string | undefined): string {
  const title = row.title ?? (row.level === 'warning' || row.level === 'error' ? say.noticeLevels[row.level] : '');
  return [who, title].filter((part) => part).join(' · ');
}

function shorten(text: string): string {
  return text.length > CHARS ? `${text.slice(0, CHARS)}…` : text;
}
