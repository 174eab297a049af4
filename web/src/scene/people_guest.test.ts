import { Color, type InstancedBufferGeometry, type Mesh, MeshLambertMaterial, PerspectiveCamera } from 'three';
import { describe, expect, it } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { identity } from '../look/identity.ts';
import { badgeColor } from '../look/marks.ts';
import { Focus } from '../world/focus.ts';
import { Store, type AgentView, type StatusRow } from '../world/store.ts';
import type { RoomDeps } from './deps.ts';
import { placeOf, rankOf, speechOf, tagName } from './labels_text.ts';
import type { Stage } from './layer.ts';
import { createPeople } from './people.ts';
import { Cast } from './people_cast.ts';
import { nearestAgent } from './people_pick.ts';
import { poseOf } from './people_pose.ts';
import { isGone, leaveFor, stepPerson } from './people_stepper.ts';
import { parentOf, Threads } from './people_threads.ts';
import { CastUpdater } from './people_updater.ts';
import { quality } from './quality.ts';
import { At, STRIDE } from './rig.ts';
import { lanyardGeometry } from './rig_accessory.ts';
import { triangles } from './rig_sculpt.ts';

const now = 1_000_000, still = { now, dt: 1 / 60, still: false };
const scene = { pois: [], spawns: { player: [0, 0, 4], agents: [] } } as unknown as SceneManifest;
const guest = (id: string, more: Partial<AgentView> = {}): AgentView => ({ agent_id: `agent_${id}`, name: id, role: 'guest', source: 'claude', state: 'WorkingAtPOI', pos: [1, 0, 1], activity: 'working', ...more });

const stage = {
  manifest: { pois: [], objects: [], room: { w: 10, d: 10 }, spawns: scene.spawns } as unknown as SceneManifest, camera: new PerspectiveCamera(), renderer: { domElement: document.createElement('canvas') },
  quality: quality('low'), still: false, size: { width: 100, height: 100 }, invalidate() {}, castersMoved() {}, screens: new Map(), setScreen() {}, setLamp() {}, material: () => new MeshLambertMaterial(),
} as unknown as Stage;

describe('a guest', () => {
  it.each([
    [{ activity: 'working' }, false, 'type'],
    [{ activity: 'working' }, true, 'walk'],
    [{ activity: 'waiting', state: 'BlockedWaiting' }, false, 'wait'],
    [{ activity: 'waiting', state: 'WalkingToPlayer' }, true, 'walk'],
    [{ activity: 'working', needs_you: true }, true, 'ask'],
    [{ activity: 'idle', state: 'IdleAtHome' }, false, 'idle'],
    [{ activity: 'offline' }, false, 'offline'],
    [{ activity: undefined, state: 'Offline' }, false, 'offline'],
  ] as const)('%j, moving %s: %s', (more, moving, pose) => {
    expect(poseOf(guest('a', more as Partial<AgentView>), undefined, now, moving)).toBe(pose);
  });

  it('whose session ended leaves the room, and returns with new evidence', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    updater.update([guest('a')], new Map(), now);
    updater.update([guest('a', { activity: 'offline', state: 'Offline' })], new Map(), now);
    expect(cast.people[0]!.leftAt).toBe(now);
    updater.update([guest('a')], new Map(), now + 1);
    expect(cast.people[0]!.leftAt).toBe(0);
    updater.update([], new Map(), now + 2);
    updater.update([guest('b', { activity: 'offline' })], new Map(), now + 3);
    expect(cast.byId.has('agent_b')).toBe(false);
  });

  it('wears the colour of its source, and so does the thread to its parent', () => {
    const toy = { source: 'toy', label: 'Toy Agent', color: '#336699' };
    const store = new Store(), people = createPeople(stage, { store, focus: new Focus() } as unknown as RoomDeps);
    const tints = () => {
      const list: number[][] = [];
      people.group.traverse(o => {
        const g = (o as Mesh).geometry as InstancedBufferGeometry | undefined, tint = g?.getAttribute('iTint');
        if (tint) for (let i = 0; i < g!.instanceCount; i++) list.push([tint.getX(i), tint.getY(i), tint.getZ(i)]);
      });
      return list;
    };
    const drawn = (color: string, parent: number) => [...Array.from({ length: 2 }, () => new Color(color).toArray().map(Math.fround)), [parent, parseInt(color.slice(1), 16), 0]];
    store.agents.value = [guest('a', { source: 'toy', from: toy }), guest('b', { source: 'toy', from: toy, parent_id: 'agent_a' })];
    people.update(now, 0.1);
    expect(tints()).toEqual(expect.arrayContaining(drawn('#336699', 0)));
    store.agents.value = store.agents.value.map(({ from: _, ...rest }) => rest); // without a description
    people.update(now + 1, 0.1);
    expect(tints()).toEqual(expect.arrayContaining(drawn(badgeColor(undefined), 0)));
    people.dispose();
  });

  it('is smaller than its parent and wears the same colour', () => {
    const parent = identity('agent_a', 'guest', { source: 'claude' }), sub = identity('agent_b', 'guest', { source: 'claude', parent_id: 'agent_a' });
    expect(sub.height).toBeLessThan(parent.height * 0.9);
    expect(sub.top).toBe(parent.top);
    expect(triangles(lanyardGeometry())).toBeLessThan(220);
  });

  it('with a long name keeps both ends of it on the label', () => {
    expect(['shop', 'worker-with-a-rather-long-name-29', 'worker-with-a-rather-long-name-30'].map(tagName)).toEqual(['shop', 'worker-wi…-name-29', 'worker-wi…-name-30']);
  });

  it('does not repeat its name as its place', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    updater.update([guest('infrastructure-monorepo', { place: '…/dev/infrastructure-mon…' })], new Map(), now);
    expect(placeOf(cast.people[0]!)).toBe('');
  });

  it('shows what its run announced, else its status', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    updater.update([guest('a', { status_line: 'Bash npm test', place: '~/work/shop' })], new Map(), now);
    const p = cast.people[0]!, heard = { decisions: [], chats: [], statuses: [] as StatusRow[], now, attended: false, lines: new Map<string, string>() };
    p.pose = 'type';
    expect(speechOf(p, heard)?.text).toBe('Bash npm test');
    const row: StatusRow = { key: 'k', kind: 'progress', seq: 1, ts: now, text: 'Compiling\nmore', percent: 32.6, agent_id: 'agent_a', expires_at: now + 1 };
    expect(speechOf(p, { ...heard, statuses: [row] })?.text).toBe('Compiling · 33%');
    expect(speechOf(p, { ...heard, statuses: [row], now: now + 2 })?.text).toBe('Bash npm test');
    expect(placeOf(p)).toBe('shop');
    p.name = 'Claude · shop';
    expect(placeOf(p)).toBe('');
    const before = rankOf(p, 0, false, false);
    p.view = { ...p.view!, parent_id: 'agent_x' };
    expect(rankOf(p, 0, false, false)).toBeLessThan(before);
  });

  it('that leaves takes some steps and fades; with reduced motion it leaves immediately', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene }), staff: AgentView = { agent_id: 'agent_s', name: 's', state: 'IdleAtHome', pos: [0, 0, 0] };
    updater.update([guest('a'), staff], new Map(), now);
    updater.update([], new Map(), now);
    expect(cast.people.map(p => p.id)).toEqual(['agent_a']);
    const p = cast.people[0]!;
    for (let t = 0; t < 650; t += 50) stepPerson(cast, p, { ...still, now: now + t });
    expect(p.pose).toBe('walk');
    expect(Math.floor(cast.data[p.index * STRIDE + At.dim]! / 2)).toBeGreaterThan(30);
    expect([isGone(p, { ...still, now: now + 600 }), isGone(p, { ...still, now: now + leaveFor }), isGone(p, { ...still, still: true })]).toEqual([false, true, true]);
    updater.update([guest('a')], new Map(), now + 700);
    expect(p.leftAt).toBe(0);
    expect(cast.data[p.index * STRIDE + At.dim]).toBe(0);
  });

  it('accepts no cards', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    updater.update([guest('a')], new Map(), now);
    expect(nearestAgent(cast, 0, 0, () => ({ x: 0, y: 0, visible: true }))).toBeNull();
  });
});

describe('threads', () => {
  it('are one batch, from every sub-agent to its parent, while both are here', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene }), threads = new Threads(cast.uniforms);
    const subs = Array.from({ length: 150 }, (_, i) => guest(`s${i}`, { parent_id: i < 100 ? 'agent_a' : 'agent_gone' }));
    updater.update([guest('a'), ...subs, guest('own', { parent_id: 'agent_own' })], new Map(), now);
    threads.list(cast);
    expect(threads.instances.count).toBe(100);
    expect(parentOf(cast, cast.byId.get('agent_s1')!)?.id).toBe('agent_a');
    updater.update(subs, new Map(), now);
    threads.list(cast);
    expect(threads.instances.count).toBe(0);
    threads.dispose();
  });
});
