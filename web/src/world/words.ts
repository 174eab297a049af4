import type { Agent, Source } from '../contracts/protocol.gen.ts';
import * as say from '../contracts/words.gen.ts';
import type { AgentView, Need } from './rows.ts';

export const stateWords = (state: string): string => lookUp(say.agentStates, state);
export const activityWords = (activity: string): string => lookUp(say.activities, activity);
/** Returns the label of a source of evidence, for use after "according to". */
export const sourceWords = (source: string): string => lookUp(say.evidence, source);
/** Returns the description of a source or runner by its name, or undefined if the office sent none. */
export const sourceNamed = (sources: readonly Source[], name: string | undefined): Source | undefined => sources.find((s) => s.source === name);
/** Returns the label of a guest's source. */
export const guestWords = ({ source = '', from }: Pick<AgentView, 'source' | 'from'>): string => from?.label ?? lookUp({}, source);
/** Returns the name of a crew member's runner, or the label of a scripted runner. */
export const runnerWords = ({ runner, from }: Pick<AgentView, 'runner' | 'from'>): string => (from?.scripted ? from.label : (runner ?? say.unknownRunner));
/** Matches text that starts with a UUID, whose first group is enough to find a session. */
const uuid = /^([\da-f]{8})(-[\da-f]{4}){3}-[\da-f]{12}.*/i;
/** Returns where to answer an agent that cannot be answered here: its terminal, folder and session. */
export function whereToAnswer({ source, place, session }: Agent): string {
  const name = session?.replace(`${source}:`, '').replace(uuid, '$1');
  return say.inTerminal(place ? say.inPlace(place) : '', name ? say.inSession(name) : '');
}
export const roleWords = (role: string | undefined): string => (role ? lookUp(say.roles, role) : say.crewMember);
export const taskWords = (status: string): string => lookUp(say.taskStatuses, status);
export const projectWords = (status: string): string => lookUp(say.projectStatuses, status);
export const artifactWords = (status: string): string => lookUp(say.artifactStatuses, status);
export const eventWords = (name: string): string => lookUp(say.events, name);

/** The words after an agent's name that announce a need, in notifications and for screen readers. */
export const needNews: Readonly<Record<Need['kind'], string>> = {
  decision: 'needs your answer',
  permission: 'asks for permission',
  plan: say.hasPlan,
  review: say.asksForReview,
  elsewhere: 'is waiting for you in its terminal',
  unchecked: say.endedUnchecked,
};

/** Reports whether this build supports the event with that name. */
export const knownEvent = (name: string): boolean => Object.hasOwn(say.events, name);

// Returns the words for a key; an unknown key, such as one from a later version, is made readable.
function lookUp(table: Readonly<Record<string, string>>, key: string): string {
  if (Object.hasOwn(table, key)) return table[key]!;
  const plain = key.replaceAll('_', ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2').trim().toLowerCase();
  return plain === '' ? key : plain[0]!.toUpperCase() + plain.slice(1);
}
