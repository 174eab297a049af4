import { check } from '../contracts/check.ts';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import type { ServerMessage } from '../world/rows.ts';
import type { Surroundings } from './surroundings.ts';

// How far back a page looks when it opens: the timeline's last page, and more of the talk.
const recordsBack = 1000;
const talkBack = 20_000;
const talkLimit = 500;
const workflowLimit = 1000;

/** What happened before this page was looking, up to a snapshot: for the feed, the talk and the walks under way. */
export async function past(around: Surroundings, seq: number): Promise<readonly ServerMessage[]> {
  const from = (back: number) => Math.max(0, seq - back);
  const pages = await Promise.all([
    page(around, `/v1/events?kind=ui&limit=${workflowLimit}&after=${from(talkBack)}`),
    page(around, `/v1/events?kind=chat&limit=${talkLimit}&after=${from(talkBack)}`),
    page(around, `/v1/events?limit=${recordsBack}&after=${from(recordsBack)}`),
  ]);
  return pages.flat().filter((m) => 'seq' in m.payload && (m.payload.seq ?? 0) <= seq);
}

async function page(around: Surroundings, path: string): Promise<readonly ServerMessage[]> {
  try {
    const { body } = await around.get(path);
    const events = (body as { events?: unknown } | null)?.events;
    return Array.isArray(events) ? events.filter((m): m is ServerMessage => check(m) === 'sound') : [];
  } catch {
    return []; // The past is a courtesy; the present came by the socket.
  }
}

/** The manifest of the office's scene; null when it cannot be read now, 'denied' when this browser may not look. */
export async function room(around: Surroundings): Promise<SceneManifest | 'denied' | null> {
  try {
    const { status, body } = await around.get('/v1/scene');
    if (status === 401 || status === 403) return 'denied';
    return body as SceneManifest | null;
  } catch {
    return null;
  }
}
