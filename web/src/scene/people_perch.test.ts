import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import type { AgentView } from '../world/store.ts';
import { Cast } from './people_cast.ts';
import { CastUpdater } from './people_updater.ts';
import { At, STRIDE } from './rig.ts';

const manifest = JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes/studio_v0.json'), 'utf8')) as SceneManifest;
const desk = manifest.pois.find(p => p.type === 'dev_desk')!, seat = desk.nav_anchors[0]!, now = 1_000_000;

const guest = (id: string, goal: AgentView['goal'], path: readonly Vec3[] = [seat.pos]): AgentView => ({
  agent_id: id, name: id, role: 'guest', source: 'claude', activity: 'working', state: 'WorkingAtPOI', pos: path.at(-1)!, goal,
  motion: { seq: 1, path, speed_mps: 1.2, started_at: now, state: 'WorkingAtPOI', goal, facing: seat.facing },
} as AgentView);
const parent = guest('agent_p', { kind: 'work', poi_id: desk.poi_id, anchor_id: seat.id });
const sub = (n: number, path?: readonly Vec3[]): AgentView => ({ ...guest(`agent_s${n}`, { kind: 'work', poi_id: desk.poi_id, perch_of: 'agent_p' }, path), parent_id: 'agent_p' });

const drawn = (...agents: AgentView[]) => {
  const cast = new Cast(), updater = new CastUpdater(cast, { manifest });
  updater.update(agents, new Map(), now);
  return { cast, updater, of: (id: string) => cast.byId.get(id)! };
};

describe('sub-agents at the desk of their parent', () => {
  test('two sit on the desk, small and next to the parent; the others are only counted', () => {
    const { cast, of } = drawn(parent, sub(1), sub(2), sub(3), sub(4));
    expect([...cast.byId.keys()]).toEqual(['agent_p', 'agent_s1', 'agent_s2']);
    expect(of('agent_p').more).toBe(2);
    const [a, b] = [of('agent_s1'), of('agent_s2')];
    for (const p of [a, b]) {
      expect(Math.hypot(p.x - seat.pos[0], p.z - seat.pos[2])).toBeCloseTo(0.72, 1);
      expect(p.look.height / of('agent_p').look.height).toBeLessThan(0.62);
      expect(cast.data[p.index * STRIDE + At.y]).toBeGreaterThan(0.45);
      expect(Math.abs(p.heading - Math.PI / 4)).toBeLessThan(0.3);
    }
    expect(Math.hypot(a.x - b.x, a.z - b.z)).toBeCloseTo(1.12);
  });

  test('the next one takes a perch that becomes free', () => {
    const { updater, of } = drawn(parent, sub(1), sub(2), sub(3));
    updater.update([parent, sub(2), sub(3)], new Map(), now);
    expect([of('agent_s2').perch, of('agent_s3').perch, of('agent_p').more]).toEqual([0, 1, 0]);
  });

  test('one that comes back walks to its perch, not to the seat', () => {
    const p = drawn(parent, sub(1, [[4, 0, 3], seat.pos])).of('agent_s1');
    expect(p.path).toHaveLength(2);
    expect(p.path[1]).toEqual([p.endX, 0, p.endZ]);
    expect(p.endX).not.toBe(seat.pos[0]);
  });

  test('one that leaves the desk to ask a question becomes larger', () => {
    const { updater, of } = drawn(parent, sub(1)), small = of('agent_s1').look.height;
    updater.update([parent, { ...sub(1), needs_you: true, goal: { kind: 'wait_for_user' }, motion: { ...sub(1).motion!, path: [[1, 0, 3.7]], goal: { kind: 'wait_for_user' } } }], new Map(), now + 1);
    expect(of('agent_s1').look.height).toBeGreaterThan(small * 1.3);
    expect(of('agent_s1').seat).toBe(0);
  });
});
