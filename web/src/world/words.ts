import type { Agent, Source } from '../contracts/protocol.gen.ts';
import * as say from '../contracts/words.gen.ts';
import type { AgentView } from './rows.ts';

export const stateWords = (state: string): string => lookUp(say.agentStates, state);
export const activityWords = (activity: string): string => lookUp(say.activities, activity);
/** Returns the label of a source of evidence, for use after "decided by". */
export const sourceWords = (source: string): string => lookUp(say.evidence, source);
/** Returns the description of a source or runner by its name, or undefined if the office sent none. */
export const sourceNamed = (sources: readonly Source[], name: string | undefined): Source | undefined => sources.find((s) => s.source === name);
/** Returns the label of a guest's source. */
export const guestWords = ({ source = '', from }: Pick<AgentView, 'source' | 'from'>): string => from?.label ?? lookUp({}, source);
/** Returns the name of a crew member's runner, or the label of a scripted runner. */
export const runnerWords = ({ runner, from }: Pick<AgentView, 'runner' | 'from'>): string => (from?.scripted ? from.label : (runner ?? say.unknownRunner));
/** Matches text that starts with a UUID, whose first group is enough to find a session. */
const uuid = /^([\da-f]{8})(-[\da-f]{4}){3}-[\da-f]{12}.*/i;
/** Describes where to answer an agent that cannot be answered here: its terminal, folder and session. */
export function whereToAnswer({ source, place, session }: Agent): string {
  const name = session?.replace(`${source}:`, '').replace(uuid, '$1');
  return say.inTerminal(place ? say.inPlace(place) : '', name ? say.inSession(name) : '');
}
export const roleWords = (role: string | undefined): string => (role ? lookUp(say.roles, role) : say.crewMember);
export const taskWords = (status: string): string => lookUp(say.taskStatuses, status);
export const projectWords = (status: string): string => lookUp(say.projectStatuses, status);
export const artifactWords = (status: string): string => lookUp(say.artifactStatuses, status);
export const eventWords = (name: string): string => lookUp(say.events, name);

/** Returns the label of a guest's activity or a crew member's state. */
export const statusWords = ({ activity, state }: Pick<AgentView, 'activity' | 'state'>): string =>
  activity ? activityWords(activity) : stateWords(state);

/**
 * Returns the reason for an agent's status without the words that are shown next to it: the label of the status (or of
 * a need) at the start and, if `authority` is set, the evidence in parentheses at the end.
 */
export function reasonWords(why: string, label: string, authority = ''): string {
  let reason = why.trim();
  for (const status of [label, say.needsYou]) {
    if (!reason.toLowerCase().startsWith(status.toLowerCase())) continue;
    const rest = reason.slice(status.length);
    if (/^[. ]*$/.test(rest)) return '';
    if (rest.startsWith(': ')) reason = rest.slice(2);
  }
  const source = ` (${authority}`;
  const at = reason.lastIndexOf(source);
  const isEvidence = authority && at >= 0 && reason.endsWith(')') && '):,'.includes(reason[at + source.length]!);
  return (isEvidence ? reason.slice(0, at) : reason).trim();
}

/** Reports whether this build supports the event with that name. */
export const knownEvent = (name: string): boolean => Object.hasOwn(say.events, name);

// Returns the words for a key; an unknown key, such as one from a later version, is made readable.
function lookUp(table: Readonly<Record<string, string>>, key: string): string {
  if (Object.hasOwn(table, key)) return table[key]!;
  const plain = key.replaceAll('_', ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2').trim().toLowerCase();
  return plain === '' ? key : plain[0]!.toUpperCase() + plain.slice(1);
}
