import { useSignal } from '@preact/signals';
import { useOffice } from '../office.ts';
import { filterFeed, frequent, NO_FILTER, type FeedFilter } from './filter.ts';
import { FeedRow } from './feed_row.tsx';
import { NoticeRow } from './notice_row.tsx';
import { UiRow } from './ui_row.tsx';
import * as say from '../../contracts/words.gen.ts';

const STEP = 60;
/** The filter for raw workflow events. A row shows what the office displays for its event, or why it was ignored. */
const UI_EVENTS = 'ui';
const IGNORED = 'ignored';
/** The filter for workflow messages, which "Everything" includes too. */
const MESSAGES = 'messages';

/** Shows the timeline, newest first. */
export function Feed() {
  const { store } = useOffice();
  const filter = useSignal<FeedFilter>(NO_FILTER);
  const shown = useSignal(STEP);
  const { kind, agent, project } = filter.value;
  const lines = frequent.has(kind) ? [...store.feed.value, ...store.frequent.value].sort((a, b) => a.seq - b.seq) : store.feed.value;
  const notices = (kind === '' || kind === MESSAGES) && !project ? store.notices.value.filter((row) => !agent || row.agent_id === agent) : [];
  const happened = kind === MESSAGES ? [] : filterFeed(lines, filter.value);
  const rows = notices.length > 0 ? [...happened, ...notices].sort((a, b) => b.seq - a.seq) : happened;
  const asCame = kind === UI_EVENTS || kind === IGNORED;
  const events = asCame ? store.uiLog.value.filter(({ ui }) => (kind !== IGNORED || ui.ignored) && (!agent || ui.agent_id === agent)).toReversed() : [];
  const found = asCame ? events.length : rows.length;
  return (
    <>
      <div class="filters" role="group" aria-label="Filter events">
        <Pick label={say.thingProject} all={say.allProjects} value={filter.value.project} options={store.projects.value.map((p) => [p.project_id, p.title])} onPick={(project) => (filter.value = { ...filter.value, project })} />
        <Pick label={say.thingAgent} all={say.everyone} value={filter.value.agent} options={store.agents.value.map((a) => [a.agent_id, a.name ?? a.agent_id])} onPick={(agent) => (filter.value = { ...filter.value, agent })} />
        <Pick label={say.feedKind} all={say.everything} value={filter.value.kind} options={[...say.feedKinds.map(({ key, words }) => [key, words] as const), ['other', say.other], [MESSAGES, say.workflowNotices], [UI_EVENTS, say.workflowRaw], [IGNORED, say.workflowIgnored]]} onPick={(kind) => (filter.value = { ...filter.value, kind })} />
      </div>
      {found === 0 && <p class="empty">{say.nothingHere}{store.feed.value.length + store.notices.value.length > 0 ? ' with this filter' : ' yet'}.</p>}
      <ol class="feed">
        {asCame
          ? events.slice(0, shown.value).map((row) => <UiRow key={row.id} row={row} />)
          : rows.slice(0, shown.value).map((row) => ('level' in row ? <NoticeRow key={row.id} row={row} /> : <FeedRow key={row.id} row={row} />))}
      </ol>
      {found > shown.value && (
        <button type="button" class="link" onClick={() => (shown.value += STEP)}>
          Show older ({found - shown.value})
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
