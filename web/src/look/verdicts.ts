import { MessageCircle, ShieldCheck, ShieldHalf, ShieldX } from 'lucide';
import type { IconNode } from 'lucide';
import type { Verdict } from '../contracts/protocol.gen.ts';
import { cardColors } from './marks.ts';

/** The icon of each verdict; each has its own shape, so that colour is never the only cue. */
export const verdictIcons: Readonly<Record<Verdict, IconNode>> = { proven: ShieldCheck, partly: ShieldHalf, only_said: MessageCircle, failed: ShieldX };

/** The colours of a verdict in the room: those of the label, and of the label's text and edge. */
export const verdictColors: Readonly<Record<Verdict, { label: string; ink: string }>> = {
  proven: { label: '#3f7d3b', ink: '#fffdf8' },
  partly: { label: '#f5c443', ink: '#4b342b' },
  only_said: { label: cardColors.paper, ink: cardColors.ink },
  failed: { label: '#b3261e', ink: '#fffdf8' },
};
