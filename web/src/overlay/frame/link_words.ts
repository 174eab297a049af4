import type { LinkView } from '../deps.ts';

export interface LinkWords {
  /** One word beside the dot. */
  word: string;
  /** A sentence, when there is more to say. */
  more?: string;
  tone: 'live' | 'wait' | 'lost';
}

/** The connection in words. */
export function linkWords(link: LinkView, now: number): LinkWords {
  switch (link.phase) {
    case 'live':
      return { word: 'Live', tone: 'live' };
    case 'connecting':
      return { word: 'Connecting…', tone: 'wait', ...(link.attempt > 0 && { more: retryWords(link, now) }) };
    case 'stale':
      return { word: 'Reconnecting…', more: retryWords(link, now), tone: 'lost' };
    case 'offline':
      return { word: 'Offline', more: retryWords(link, now), tone: 'lost' };
    case 'refused':
      // The banner says why.
      return { word: 'Refused', tone: 'lost' };
  }
}

function retryWords(link: LinkView, now: number): string {
  const attempt = `attempt ${Math.max(1, link.attempt)}`;
  if (link.retryAt === null) return `${attempt}, trying now`;
  const wait = Math.ceil((link.retryAt - now) / 1000);
  return wait > 0 ? `${attempt}, next try in ${wait} s` : `${attempt}, trying now`;
}
