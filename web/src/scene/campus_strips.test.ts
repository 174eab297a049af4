import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { visitor } from '../look/identity.ts';
import { Focus } from '../world/focus.ts';
import { Store, type AgentView } from '../world/store.ts';
import { Strips } from './campus_strips.ts';
import type { RoomDeps } from './deps.ts';
import type { Stage } from './layer.ts';
import { castOf } from './people_cast.ts';
import { stagePlaces } from './staging.ts';

const manifest = JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes/cozy_office_v0.json'), 'utf8')) as SceneManifest;

test('seven agents with a question have five pins, and the last says how many more there are', () => {
  const stage = { manifest, distant: true, size: { width: 800, height: 600 }, camera: { position: { x: 9, z: 9 } }, invalidate() {}, project: () => ({ x: 1, y: 1, visible: true }) } as unknown as Stage;
  const store = new Store(), el = document.createElement('div'), strips = new Strips(stage, el, { store, focus: new Focus() } as unknown as RoomDeps);
  const ask = (id: string, anchor: string): AgentView => {
    castOf(stage).add(id, 'agent', visitor(id, false)).pose = 'ask';
    return { agent_id: id, role: 'guest', source: 'claude', activity: 'waiting', state: 'BlockedWaiting', needs_you: true, pos: [0, 0, 0], goal: { kind: 'wait_for_user', anchor_id: anchor } } as AgentView;
  };
  const pins = () => [...el.querySelectorAll<HTMLElement>('.pin:not([hidden])')].map(pin => pin.dataset['more']);
  store.agents.value = ['anchor_sofa_1', 'anchor_sofa_2', ...stagePlaces(manifest)].map((anchor, i) => ask(`agent_${i}`, anchor));
  strips.update();
  expect(pins()).toEqual(['', '', '', '', '+2']);
  store.agents.value = store.agents.value.slice(0, -1);
  castOf(stage).remove(castOf(stage).byId.get('agent_6')!);
  strips.update();
  expect(pins()).toEqual(['', '', '', '', '', '']);
  strips.dispose();
});

test('the stage knows where strips are while they are shown', () => {
  const stage = { manifest, distant: true, strips: [], size: { width: 800, height: 600 }, camera: { position: { x: 9, z: 9 } }, invalidate() {}, project: () => ({ x: 100, y: 50, visible: true }) } as unknown as Stage;
  const focus = new Focus(), strips = new Strips(stage, document.createElement('div'), { store: new Store(), focus } as unknown as RoomDeps);
  focus.room.value = '';
  strips.set([{ id: '', label: 'House', room: null, manifest, plot: [0, 0], x: 0, z: 0 }]);
  strips.update();
  expect(stage.strips).toHaveLength(1);
  Object.assign(stage, { distant: false });
  strips.update();
  expect(stage.strips).toEqual([]);
  strips.dispose();
});
