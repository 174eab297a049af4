import { STATUS_AGED_MS } from '../../contracts/limits.gen.ts';
import { duration } from '../../hud/label.ts';
import { isActive } from '../../world/bulletin.ts';
import type { StatusRow } from '../../world/store.ts';
import { nameOf } from '../agent/name.ts';
import { Ago } from '../kit/ago.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

const SHOWN = 3;
/** How many statuses are shown on a phone. */
const SHOWN_SMALL = 1;
const CHARS = 160;

/** Shows the newest statuses, progress and open questions of workflow runs. */
export function StatusLines() {
  const { store, shell } = useOffice();
  void shell.clock.value; // re-renders every second, because a status expires without a message
  // On a phone the inbox below the room shows the questions.
  const open = new Set(shell.phone.value ? [] : store.decisions.value.filter((d) => d.status === 'open').map((d) => d.decision_id));
  const here = new Set(store.agents.value.map((a) => a.agent_id));
  const stays = (row: StatusRow) => isActive(row, store.now()) && (!row.agent_id || here.has(row.agent_id));
  const rows = store.status.value.filter((row) => stays(row) && (row.kind !== 'ask' || open.has(row.decision_id ?? ''))).slice(shell.phone.value ? -SHOWN_SMALL : -SHOWN);
  if (rows.length === 0) return null;
  return (
    <div class="card small status-lines">
      {rows.map((row) => (
        <StatusLine key={row.key} row={row} />
      ))}
    </div>
  );
}

/** Shows one status on one line: the agent, the text and the progress. */
function StatusLine({ row }: { row: StatusRow }) {
  const { store, shell } = useOffice();
  const said = row.text.split('\n', 1)[0]!.slice(0, CHARS);
  const words = row.agent_id ? `${nameOf(store.agents.value, row.agent_id)}: ${said}` : said;
  const far = row.percent === undefined ? '' : `${Math.round(row.percent)}%`;
  return (
    <div class="status-line">
      <p role="status">
        <Words class="clip">{words}</Words>
        {store.now() - row.ts >= STATUS_AGED_MS && <Ago at={row.ts} />}
        {far && <span class="node-span">{row.eta_s === undefined ? far : `${far} · ${say.left(duration(row.eta_s * 1000))}`}</span>}
        {row.decision_id && (
          <button type="button" class="link" onClick={() => shell.open({ kind: 'decision', id: row.decision_id! })}>
            Answer
          </button>
        )}
      </p>
      {far && <progress class="bar" max={100} value={row.percent} aria-label={`${words}: ${far}`} />}
    </div>
  );
}
