import type { Page } from '@playwright/test';
import type { SceneManifest } from '../src/contracts/protocol.gen.ts';
import { benchPeople, benchRooms } from '../src/scene/bench_campus.ts';
import { moduleScenes } from '../src/world/campus.ts';
import { play } from './replay.ts';
import type { Server } from './server.ts';

/** Makes a page show a made-up campus instead of the office's state: people at their places in open studios. */
export async function showCampus(page: Page, server: Server, people: number, studios: number): Promise<void> {
  const state = await server.state(), scene = async (id: string) => (await (await fetch(`${server.url}/v1/scene/${id}`)).json()) as SceneManifest;
  const modules = new Map(await Promise.all(moduleScenes.map(async (id) => [id, await scene(id)] as const)));
  const rooms = benchRooms(studios, people), at = Date.now();
  const agents = benchPeople(people, await scene(state.scene_id), modules, rooms, at).map(({ motion: _, ...agent }) => agent);
  await play(page, [{ type: 'snapshot', id: 'msg_campus', ts: at, v: 1, payload: { ...state, rooms, agents } }], at);
}
