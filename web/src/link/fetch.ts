import { check } from '../contracts/check.ts';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import type { ServerMessage } from '../world/rows.ts';
import type { Environment } from './environment.ts';

// How much history a page reads when it opens, in records before the snapshot. Chat messages and
// workflow events go back further than the timeline, up to a limit for each.
const recordsBack = 1000;
const talkBack = 20_000;
const talkLimit = 500;
const workflowLimit = 1000;

/** Fetches the messages before the snapshot at seq, for the feed, the chat and current walks. */
export async function fetchHistory(env: Environment, seq: number): Promise<readonly ServerMessage[]> {
  const from = (back: number) => Math.max(0, seq - back);
  const pages = await Promise.all([
    page(env, `/v1/events?kind=ui&limit=${workflowLimit}&after=${from(talkBack)}`),
    page(env, `/v1/events?kind=chat&limit=${talkLimit}&after=${from(talkBack)}`),
    page(env, `/v1/events?limit=${recordsBack}&after=${from(recordsBack)}`),
  ]);
  return pages.flat().filter((m) => 'seq' in m.payload && (m.payload.seq ?? 0) <= seq);
}

async function page(env: Environment, path: string): Promise<readonly ServerMessage[]> {
  try {
    const { body } = await env.get(path);
    const events = (body as { events?: unknown } | null)?.events;
    return Array.isArray(events) ? events.filter((m): m is ServerMessage => check(m) === 'valid') : [];
  } catch {
    return []; // History is optional; the live state comes over the socket.
  }
}

/**
 * Fetches the manifest of the office's scene, or of another scene by its id. Returns 'denied' if access is denied,
 * and null on failure.
 */
export async function fetchScene(env: Environment, id = ''): Promise<SceneManifest | 'denied' | null> {
  try {
    const { status, body } = await env.get(id ? `/v1/scene/${id}` : '/v1/scene');
    if (status === 401 || status === 403) return 'denied';
    return status === 200 || id === '' ? (body as SceneManifest | null) : null;
  } catch {
    return null;
  }
}
