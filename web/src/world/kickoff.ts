import type { Project } from '../contracts/protocol.gen.ts';
import type { AgentView, FeedRow, StreamView } from './rows.ts';

/** The part of the store that kickoff lines are made from. */
export interface KickoffView {
  feed: readonly FeedRow[];
  projects: readonly Project[];
  agents: readonly AgentView[];
  streams: ReadonlyMap<string, StreamView>;
}

/** How long a line is shown, in ms. */
const lineFor = 5000;
/** The delay between one agent's announcement of its task and the next, in ms. */
const turnEvery = 1400;
/** How long streamed text counts as a current thought, in ms. */
const thoughtFor = 6000;
/** How many timeline lines are searched for a kickoff. */
const lookBack = 80;

/**
 * Returns the text of each agent's speech bubble in a kickoff: the lead repeats the request, agents
 * that write at the table think aloud, and agents that received a task announce it. All text comes from
 * recorded data, and a page that opens later does not repeat it.
 */
export function kickoffLines(world: KickoffView, now: number): ReadonlyMap<string, string> {
  const lines = new Map<string, string>(), recent = world.feed.slice(-lookBack);
  const start = recent.findLast(row => row.name === 'kickoff_started' && !row.replay);
  if (!start) return lines;
  const project = start.event.project_id, later = recent.filter(row => row.seq > start.seq && row.event.project_id === project);
  const over = later.some(row => row.name === 'kickoff_finished');
  if (!over) addMeetingLines(world, start, now, lines);
  for (const [turn, row] of later.filter(r => r.name === 'task_assigned' && !r.replay && r.event.agent_id).entries()) {
    const at = row.ts + turn * turnEvery, title = row.event.meta?.summary;
    if (title && now >= at && now < at + lineFor) lines.set(row.event.agent_id!, `I’ll take “${title}”.`);
  }
  return lines;
}

function addMeetingLines({ projects, agents, streams }: KickoffView, start: FeedRow, now: number, lines: Map<string, string>): void {
  const seated = new Map(agents.filter(a => a.state === 'InMeeting').map(a => [a.agent_id, a.motion?.started_at ?? start.ts]));
  const [lead] = start.event.participants ?? [], since = lead === undefined ? undefined : seated.get(lead);
  for (const id of seated.keys()) {
    const stream = streams.get(id), said = stream && now - stream.at < thoughtFor ? lastSentence(stream.text) : '';
    if (said !== '') lines.set(id, said);
  }
  const request = projects.find(p => p.project_id === start.event.project_id)?.request ?? start.event.meta?.summary;
  if (lead !== undefined && since !== undefined && request && now < since + lineFor) lines.set(lead, `“${request}”`);
}

/** Returns the last sentence of text; if that sentence is very short, the last two. */
function lastSentence(text: string): string {
  const parts = text.split(/(?<=[.!?:])\s+|\n+/).map(s => s.trim()).filter(s => s !== '');
  const last = parts.at(-1) ?? '';
  return last.length < 12 && parts.length > 1 ? `${parts.at(-2)} ${last}` : last;
}
