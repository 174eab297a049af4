import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { Focus } from '../world/focus.ts';
import { Store, type AgentView } from '../world/store.ts';
import { Attention } from './attention.ts';
import { CameraRig } from './camera.ts';
import type { RoomDeps } from './deps.ts';

const manifest = JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes/cozy_office_v0.json'), 'utf8')) as SceneManifest;
const walker: AgentView = {
  agent_id: 'agent_a', state: 'WalkingToPOI', pos: [0, 0, 0],
  motion: { seq: 1, path: [[-4, 0, 0], [4, 0, 0]], speed_mps: 1, started_at: 0, state: 'WalkingToPOI', goal: { kind: 'go_to_poi' } },
} as AgentView;

/**
 * Returns a camera close to an agent that walks 8 m along x in 8 s, and a function that moves to a time in ms and
 * returns the camera's x.
 */
function watching() {
  const store = new Store(), focus = new Focus(), rig = new CameraRig(manifest.ambience.camera, manifest.room, manifest.ambience.fov);
  let now = 0;
  const attention = new Attention(rig, { manifest }, { store, focus } as unknown as RoomDeps, () => now, () => {}, () => {});
  store.agents.value = [walker];
  focus.selected.value = { kind: 'agent', id: 'agent_a' };
  focus.lookAt.value = { kind: 'agent', id: 'agent_a' };
  return { rig, focus, attention, at(ms: number) { now = ms; attention.update(); return rig.goal.x; } };
}

test('a close camera moves along with the selected agent, and stays where the user moves it', () => {
  const { rig, focus, attention, at } = watching();
  expect([at(0), at(1000), at(3000)]).toEqual([-4, -3, -1]);
  rig.pan(50, 0, 700);
  const { x } = rig.goal;
  attention.release();
  expect(at(4000)).toBe(x);
  focus.selected.value = { kind: 'agent', id: 'agent_a' };
  at(5000);
  expect(at(6000)).toBeCloseTo(x + 1);
  attention.dispose();
});

test('a distant camera stays where it is, and so does any camera while nothing is selected', () => {
  const { rig, focus, attention, at } = watching();
  rig.home();
  const { x } = rig.goal;
  expect([at(0), at(2000)]).toEqual([x, x]);
  focus.lookAt.value = { kind: 'agent', id: 'agent_a' };
  at(2000);
  focus.selected.value = null;
  expect(at(4000)).toBe(-2);
  attention.dispose();
});
