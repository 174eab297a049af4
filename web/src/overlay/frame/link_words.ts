import type { LinkView } from '../deps.ts';
import * as say from '../../contracts/words.gen.ts';

export interface LinkWords {
  /** The state in a word, shown next to the dot. */
  word: string;
  /** A sentence with details, if any. */
  more?: string;
  tone: 'live' | 'wait' | 'lost';
}

/** Returns the words that describe the state of the connection. */
export function linkWords(link: LinkView, now: number): LinkWords {
  switch (link.phase) {
    case 'live':
      return { word: say.live, tone: 'live' };
    case 'connecting':
      return { word: say.connecting, tone: 'wait', ...(link.attempt > 0 && { more: retryWords(link, now) }) };
    case 'stale':
      return { word: say.reconnecting, more: retryWords(link, now), tone: 'lost' };
    case 'offline':
      return { word: say.offline, more: retryWords(link, now), tone: 'lost' };
    case 'refused':
      // The banner shows the reason.
      return { word: say.refused, tone: 'lost' };
  }
}

function retryWords(link: LinkView, now: number): string {
  const attempt = say.attempt(Math.max(1, link.attempt));
  const wait = link.retryAt === null ? 0 : Math.ceil((link.retryAt - now) / 1000);
  return wait > 0 ? say.nextTry(attempt, wait) : say.tryingNow(attempt);
}
