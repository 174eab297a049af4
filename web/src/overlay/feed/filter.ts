import { feedKinds } from '../../contracts/words.gen.ts';
import type { FeedRow } from '../../world/store.ts';

export interface FeedFilter {
  project: string;
  agent: string;
  kind: string;
}

export const NO_FILTER: FeedFilter = { project: '', agent: '', kind: '' };

/** Kinds of frequent events, which the feed shows only when their kind is selected. */
export const frequent: ReadonlySet<string> = new Set(['people', 'usage']);

const known = new Set<string>(feedKinds.flatMap(({ names }) => names));

/** Returns the rows that match the filter, newest first. */
export function filterFeed(rows: readonly FeedRow[], filter: FeedFilter): readonly FeedRow[] {
  const names = feedKinds.find(({ key }) => key === filter.kind)?.names;
  return rows
    .filter((row) => {
      const e = row.event;
      if (filter.project && (e.project_id ?? e.project?.project_id) !== filter.project) return false;
      if (filter.agent && e.agent_id !== filter.agent && !e.agents?.some((a) => a.agent_id === filter.agent) && e.from_agent_id !== filter.agent && !e.participants?.includes(filter.agent)) return false;
      if (filter.kind === 'other') return !known.has(row.name);
      return names === undefined || names.some((name) => name === row.name);
    })
    .toReversed();
}
