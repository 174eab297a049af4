import type { Decision } from '../contracts/protocol.gen.ts';
import { isActive } from '../world/bulletin.ts';
import type { ChatRow, StatusRow } from '../world/store.ts';
import type { Person } from './people_cast.ts';
import type { Pose } from './people_pose.ts';

/** The maximum number of characters in a bubble; the panels show the rest. */
const longest = 84;
/** The maximum length of a name in a label, in characters. */
const longestName = 18;
/** How long a chat message is shown, in ms. */
export const chatShownFor = 7000;

// Bidi controls and other non-printing characters.
const nonPrinting = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** Returns text from an agent as one line of at most `most` characters, without bidi controls. */
export function plainLine(text: string, most = longest): string {
  const line = text.slice(0, most * 4).replace(nonPrinting, ' ').replace(/\s+/g, ' ').trim();
  const letters = Array.from(line);
  return letters.length <= most ? line : `${letters.slice(0, most - 1).join('').trimEnd()}…`;
}

/** Shortens a name for a label. It cuts the middle, because similar names usually differ at the end. */
export function tagName(name: string): string {
  const letters = Array.from(plainLine(name, 200));
  return letters.length <= longestName ? letters.join('') : `${letters.slice(0, longestName / 2).join('')}…${letters.slice(1 - longestName / 2).join('')}`;
}

/** An agent's speech, shown in a bubble. */
export interface Speech { text: string; kind: 'ask' | 'say' | 'done' }

export interface SpeechInput { decisions: readonly Decision[]; chats: readonly ChatRow[]; statuses: readonly StatusRow[]; now: number; attended: boolean; lines: ReadonlyMap<string, string>; celebrated?: boolean; /** Descriptions of the props on the agent's desk; only if attended. */ desk?: readonly string[] }

/**
 * Returns an agent's speech, which is the first of these that exists: an approval, a question, a recent chat
 * message, a kickoff line, its status line. The status line is shown only while the agent is selected, hovered,
 * typing or carrying. Returns null if the agent says nothing.
 */
export function speechOf(p: Person, h: SpeechInput): Speech | null {
  const view = p.view;
  if (!view) return null;
  if (p.pose === 'done' && !h.celebrated) return { text: 'Approved!', kind: 'done' };
  if (p.pose === 'ask') {
    const asked = h.decisions.find(d => d.status === 'open' && !d.session && (d.asked_by === p.id || (d.task_id !== undefined && d.task_id === view.task_id)));
    return { text: plainLine(asked?.permission?.label ?? asked?.prompt ?? view.status_line ?? 'I need you'), kind: 'ask' };
  }
  for (let i = h.chats.length - 1; i >= 0 && i > h.chats.length - 12; i--) {
    const c = h.chats[i]!;
    if (c.from === p.id && !c.replay && h.now - c.ts < chatShownFor) return { text: plainLine(c.text), kind: 'say' };
  }
  const spoken = h.lines.get(p.id);
  if (spoken !== undefined) return { text: plainLine(spoken), kind: 'say' };
  const line = plainLine([lineOf(p.id, view.status_line, h), ...(h.desk ?? [])].filter(s => s !== '').join(' · '), 150);
  return line !== '' && (h.attended || p.pose === 'type' || p.pose === 'carry') ? { text: line, kind: 'say' } : null;
}

/** Returns the status that the agent's run reported, or else the agent's status line; empty if there is neither. */
function lineOf(id: string, line: string | undefined, h: SpeechInput): string {
  const own = h.statuses.findLast(s => s.agent_id === id && s.kind !== 'ask' && isActive(s, h.now));
  const text = own ? `${own.text.split('\n', 1)[0]!}${own.percent === undefined ? '' : ` · ${Math.round(own.percent)}%`}` : line;
  return text ? plainLine(text) : '';
}

/** Returns the last part of the folder that a guest works in; empty if the guest's name already contains it. */
export function placeOf(p: Person): string {
  const place = p.view?.source && !p.view.parent_id ? plainLine(p.view.place ?? '', 60).replace(/[/\\]+$/, '') : '';
  const last = place.split(/[/\\]/).at(-1) ?? '';
  return p.name.includes(last.replace(/…$/, '')) ? '' : plainLine(last, 18);
}

const ranks: Readonly<Record<Pose, number>> = { ask: 80, wait: 36, done: 62, carry: 34, think: 31, type: 32, meet: 22, walk: 20, read: 18, blocked: 24, idle: 10, offline: 4 };

/** Returns the rank of a label. `attended` is above 0 if `p` is selected or hovered; `own` marks the viewer's figure. */
export function rankOf(p: Person, attended: number, own: boolean, speaks: boolean): number {
  // A parent comes before its sub-agents.
  const base = own ? 61 : p.kind === 'player' ? 45 : ranks[p.pose] - (p.view?.parent_id && p.pose !== 'ask' ? 6 : 0);
  return attended * 100 + base + (speaks ? 5 : 0);
}
