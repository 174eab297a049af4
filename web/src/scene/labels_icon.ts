import { Check, Coffee, createElement, Ellipsis, Eye, Footprints, Hand, Hourglass, Keyboard, MessagesSquare, Moon, Package, UserRound } from 'lucide';
import * as say from '../contracts/words.gen.ts';
import type { Pose } from './people_pose.ts';

const icons = {
  idle: Coffee, walk: Footprints, think: Ellipsis, type: Keyboard, read: Eye, meet: MessagesSquare, carry: Package,
  ask: Hand, wait: Hand, blocked: Hourglass, done: Check, offline: Moon, player: UserRound,
} as const;
export type Mark = Pose | 'player';

/** Returns the icon of a status, so that colour is not the only cue; asking and waiting share an icon. */
export function icon(mark: Mark): SVGElement {
  return createElement(icons[mark], { width: 13, height: 13, 'stroke-width': 2.4 });
}

const { IdleAtHome, WalkingToPOI, InMeeting, DeliveringArtifact, BlockedWaiting, Offline } = say.agentStates;
const words: Readonly<Record<Mark, string>> = {
  idle: IdleAtHome, walk: WalkingToPOI, think: say.thinking, type: say.writing, read: 'Reading', meet: InMeeting,
  carry: DeliveringArtifact, ask: say.needsYou, wait: say.activities.waiting, blocked: BlockedWaiting,
  done: say.artifactStatuses.approved, offline: Offline, player: say.thingVisitor,
};
export const markWord = (mark: Mark): string => words[mark].toLowerCase();
