import { Check, Coffee, createElement, Ellipsis, Eye, Footprints, Hand, Hourglass, Keyboard, MessagesSquare, Moon, Package, UserRound } from 'lucide';
import type { Pose } from './people_pose.ts';

const icons = {
  idle: Coffee, walk: Footprints, think: Ellipsis, type: Keyboard, read: Eye, meet: MessagesSquare, carry: Package,
  ask: Hand, wait: Hand, blocked: Hourglass, done: Check, offline: Moon, player: UserRound,
} as const;
export type Mark = Pose | 'player';

/** Returns the icon of a status; every icon has its own shape, so that colour is never the only cue. */
export function icon(mark: Mark): SVGElement {
  return createElement(icons[mark], { width: 13, height: 13, 'stroke-width': 2.4 });
}

const words: Readonly<Record<Mark, string>> = {
  idle: 'free', walk: 'on the way', think: 'thinking', type: 'writing', read: 'reading', meet: 'in a meeting', carry: 'delivering',
  ask: 'needs you', wait: 'waiting for you', blocked: 'waiting', done: 'approved', offline: 'away', player: 'visitor',
};
export const markWord = (mark: Mark): string => words[mark];
