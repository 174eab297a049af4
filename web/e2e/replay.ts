import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';

export interface Message { type: string; id: string; ts: number; v: 1; payload: Record<string, unknown> }

const recorded = join(import.meta.dirname, '..', 'src', 'world', 'testdata', 'first_minute.jsonl');

/**
 * Plays the first `count` messages of a recorded minute to a page instead of the live state, with the page's clock
 * stopped at the time of the last message, so that the picture is always the same. Returns the last seq.
 */
export async function replay(page: Page, count: number): Promise<number> {
  const messages = readFileSync(recorded, 'utf8').trim().split('\n').slice(0, count).map((line) => JSON.parse(line) as Message);
  const at = messages.at(-1)!.ts;
  await page.clock.install({ time: at - 60_000 });
  await page.clock.pauseAt(at);
  await page.route('**/v1/events?*', (route) => route.fulfill({ json: { events: [], next_after: 0 } }));
  await play(page, messages, at);
  return messages.at(-1)!.payload['seq'] as number;
}

/**
 * Answers a page in place of the office's socket: sends the given messages once the page has subscribed, and stamps
 * every reply with the time `at`.
 */
export async function play(page: Page, messages: readonly Message[], at: number): Promise<void> {
  let made = 0;
  const reply = (type: string, payload: object) => JSON.stringify({ type, id: `msg_replay_${++made}`, ts: at, v: 1, payload });
  await page.routeWebSocket('**/ws/world', (socket) => {
    socket.onMessage((text) => {
      const { type, id } = JSON.parse(String(text)) as Message;
      if (type === 'hello') socket.send(reply('hello_ack', { session_id: 'sess_replay', protocol_version: 1, epoch: 'replay', access: 'operator', player_id: 'player_replay' }));
      if (type === 'subscribe') for (const m of messages) socket.send(JSON.stringify(m));
      if (type === 'ping') socket.send(reply('pong', {}));
      if (type === 'command') socket.send(reply('ack', { in_reply_to: id }));
    });
  });
}
