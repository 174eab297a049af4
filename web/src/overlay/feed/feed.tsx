import { useSignal } from '@preact/signals';
import { useOffice } from '../office.ts';
import { feedKinds, filterFeed, NO_FILTER, type FeedFilter } from './filter.ts';
import { FeedRow } from './feed_row.tsx';

const STEP = 60;

/** What happened, newest first. */
export function Feed() {
  const { store } = useOffice();
  const filter = useSignal<FeedFilter>(NO_FILTER);
  const shown = useSignal(STEP);
  const rows = filterFeed(store.feed.value, filter.value);
  return (
    <>
      <div class="filters" role="group" aria-label="Filter events">
        <Pick label="Project" all="All projects" value={filter.value.project} options={store.projects.value.map((p) => [p.project_id, p.title])} onPick={(project) => (filter.value = { ...filter.value, project })} />
        <Pick label="Person" all="Everybody" value={filter.value.agent} options={store.agents.value.map((a) => [a.agent_id, a.name ?? a.agent_id])} onPick={(agent) => (filter.value = { ...filter.value, agent })} />
        <Pick label="Kind" all="Everything" value={filter.value.kind} options={[...feedKinds.map(([kind, words]) => [kind, words] as const), ['other', 'Other']]} onPick={(kind) => (filter.value = { ...filter.value, kind })} />
      </div>
      {rows.length === 0 && <p class="empty">Nothing here{store.feed.value.length > 0 ? ' with this filter' : ' yet'}.</p>}
      <ol class="feed">
        {rows.slice(0, shown.value).map((row) => (
          <FeedRow key={row.id} row={row} />
        ))}
      </ol>
      {rows.length > shown.value && (
        <button type="button" class="link" onClick={() => (shown.value += STEP)}>
          {rows.length - shown.value} older
        </button>
      )}
    </>
  );
}

interface PickProps {
  label: string;
  all: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onPick: (value: string) => void;
}

function Pick({ label, all, value, options, onPick }: PickProps) {
  return (
    <select class="pick" aria-label={label} value={value} onChange={(e) => onPick(e.currentTarget.value)}>
      <option value="">{all}</option>
      {options.map(([id, words]) => (
        <option key={id} value={id}>
          {words}
        </option>
      ))}
    </select>
  );
}
