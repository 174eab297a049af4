import { holds } from '../../world/bulletin.ts';
import { nameOf } from '../agent/name.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

const SHOWN = 3;
const CHARS = 160;


/** A line that a workflow keeps up to date: what it does and how far it is. */
export function StatusLine({ text, percent, tone = 'plain' }: { text: string; percent?: number; tone?: 'plain' | 'good' | 'bad' }) {
  return (
    <p class={`status-line status-${tone}`} role="status">
      <Words class="clip">{text}</Words>
      {percent !== undefined && <progress class="bar" max={100} value={percent} aria-label={`${Math.round(percent)} %`} />}
    </p>
  );
}

/** What the runs say that they do, the newest few. */
export function StatusLines() {
  const { store, shell } = useOffice();
  void shell.clock.value; // Looks again each second: a status ends without a message.
  const rows = store.status.value.filter((row) => holds(row, store.now())).slice(-SHOWN);
  if (rows.length === 0) return null;
  return (
    <div class="card small" style={{ padding: '6px 14px' }}>
      {rows.map((row) => {
        const said = row.text.split('\n', 1)[0]!.slice(0, CHARS);
        return <StatusLine key={row.key} text={row.agent_id ? `${nameOf(store.agents.value, row.agent_id)}: ${said}` : said} />;
      })}
    </div>
  );
}
