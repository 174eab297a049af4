import type { Agent } from '../src/contracts/protocol.gen.ts';
import type { Desk } from './desk.ts';
import { expect } from './fixture.ts';
import { Session } from './guest.ts';
import type { Server } from './server.ts';

/**
 * Starts `people` sessions, spread over the given folders, and waits until each has a place in a studio and the page
 * shows all studios.
 */
export async function openStudios(server: Server, desk: Desk, folders: readonly string[], people: number): Promise<Session[]> {
  const sessions = Array.from({ length: people }, (_, i) => new Session(server, `/home/dev/${folders[i % folders.length]}`));
  for (const [i, session] of sessions.entries()) await session.start(`Work on item ${i}`);
  const ids = new Set<string | undefined>(sessions.map(sessionOf));
  await expect.poll(async () => (await server.state()).agents.filter((a) => a.room_id && ids.has(a.session)).length).toBe(people);
  const rooms = (await server.state()).rooms ?? [];
  await expect.poll(async () => (await campusOf(desk)).filter((p) => p.room).length).toBe(rooms.length);
  return sessions;
}

/** Returns the id that the office records for a session. */
const sessionOf = ({ id }: Session): string => `claude:${id}`;

/** Returns the agent of a session. */
export async function agentOf(server: Server, session: Session): Promise<Agent> {
  return (await server.state()).agents.find((a) => a.session === sessionOf(session))!;
}

/** The part of window.__office that these functions use. */
interface Hooks {
  project(at: readonly number[]): { x: number; y: number };
  focus: { panels: { value: readonly Box[] } };
  store: {
    now(): number;
    agents: { value: readonly { agent_id: string; motion?: { path: readonly (readonly number[])[]; speed_mps: number; started_at: number } }[] };
    campus: { value: readonly (Place & { manifest: { room: { w: number; d: number; h: number } } })[] };
  };
}

interface Box { left: number; top: number; right: number; bottom: number }

/** Waits until an agent has stopped walking on this page. */
export async function waitForArrival(desk: Desk, agentId: string): Promise<void> {
  const walking = () =>
    desk.page.evaluate((id) => {
      const { store } = (globalThis as unknown as { __office: Hooks }).__office;
      const motion = store.agents.value.find((a) => a.agent_id === id)?.motion;
      if (!motion) return false;
      const metres = motion.path.slice(1).reduce((sum, to, i) => sum + Math.hypot(to[0]! - motion.path[i]![0]!, to.at(-1)! - motion.path[i]!.at(-1)!), 0);
      return store.now() < motion.started_at + (1000 * metres) / motion.speed_mps;
    }, agentId);
  await expect.poll(walking).toBe(false);
}

/** A module of the campus and its position; only studios have a room. */
interface Place { id: string; label: string; x: number; z: number; plot: readonly number[]; room: object | null }

/** Returns the house, the garden and the studios with their positions, from the page's state. */
export function campusOf(desk: Desk): Promise<Place[]> {
  return desk.page.evaluate(() => {
    const { store } = (globalThis as unknown as { __office: Hooks }).__office;
    return store.campus.value.map(({ id, label, x, z, plot, room }) => ({ id, label, x, z, plot, room }));
  });
}

/**
 * Returns the space, in CSS pixels, between the corners of a room (of all rooms if null) and the nearest panel or edge
 * of the canvas on each side, or -1 if a corner is behind a panel or beyond the edge.
 */
export function spaceAround(desk: Desk, room: string | null): Promise<Record<'left' | 'right' | 'top' | 'bottom', number>> {
  return desk.page.evaluate((id) => {
    const { store, focus, project } = (globalThis as unknown as { __office: Hooks }).__office;
    const { width, height } = document.querySelector('#room')!.getBoundingClientRect();
    const shown = store.campus.value.filter((p) => (id === null ? p.id !== 'garden' : p.id === id));
    const points = shown.flatMap(({ x, z, manifest: { room: { w, d, h } } }) =>
      [-0.5, 0.5].flatMap((a) => [-0.5, 0.5].flatMap((b) => (a < 0 || b < 0 ? [0, h] : [0]).map((y) => project([x + a * w, y, z + b * d])))),
    );
    const least = { left: Infinity, right: Infinity, top: Infinity, bottom: Infinity };
    for (const { x, y } of points) {
      const sides = { left: x, right: width - x, top: y, bottom: height - y };
      for (const panel of focus.panels.value) {
        const across = y > panel.top && y < panel.bottom, along = x > panel.left && x < panel.right;
        if (across && along) sides.left = -1;
        if (across && panel.right <= x) sides.left = Math.min(sides.left, x - panel.right);
        if (across && panel.left >= x) sides.right = Math.min(sides.right, panel.left - x);
        if (along && panel.bottom <= y) sides.top = Math.min(sides.top, y - panel.bottom);
        if (along && panel.top >= y) sides.bottom = Math.min(sides.bottom, panel.top - y);
      }
      for (const side of ['left', 'right', 'top', 'bottom'] as const) least[side] = Math.min(least[side], Math.max(-1, sides[side]));
    }
    return least;
  }, room);
}
