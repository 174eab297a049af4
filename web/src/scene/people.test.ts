import { describe, expect, it } from 'vitest';
import type { AgentState, SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import { along, position } from '../world/position.ts';
import type { AgentView, StreamView } from '../world/store.ts';
import { Cast } from './people_cast.ts';
import { stepAlong, type Step } from './people_motion.ts';
import { nearestAgent } from './people_pick.ts';
import { poseOf, thinkingFor, typingFor } from './people_pose.ts';
import { stepPerson } from './people_stepper.ts';
import { CastUpdater } from './people_updater.ts';
import { At, STRIDE } from './rig.ts';

const now = 1_000_000;
const agent = (state: AgentState, more: Partial<AgentView> = {}): AgentView => ({ agent_id: 'agent_a', state, pos: [0, 0, 0], ...more });
const stream = (kind: StreamView['kind'], age: number, done = false): StreamView => ({ stream_id: 's', kind, text: '', done, at: now - age, seq: 1 });
const scene = { pois: [{ poi_id: 'poi_desk', type: 'dev_desk', nav_anchors: [{ id: 'anchor_desk', pos: [3, 0, 1], facing: [0, 0, -1], seated: true, seat_height: 0.42 }] }] } as unknown as SceneManifest;

const walker = (i: number, path: Vec3[], more: Partial<AgentView> = {}): AgentView => ({
  agent_id: `agent_${i}`, name: `A${i}`, state: 'WalkingToPOI', pos: path[0] ?? [0, 0, 0],
  motion: { seq: 1, path, speed_mps: 1.4, started_at: now, goal: { kind: 'go_to_poi' } }, ...more,
});
const run = (cast: Cast, from: number, seconds: number, still = false) => {
  for (let t = 0; t <= seconds; t += 1 / 60) for (const p of cast.people) stepPerson(cast, p, { now: from + t * 1000, dt: 1 / 60, still });
};

describe('poses', () => {
  it('follow the state', () => {
    const seen = (state: AgentState, more: Partial<AgentView> = {}) => poseOf(agent(state, more), undefined, now);
    expect(seen('IdleAtHome')).toBe('idle');
    expect(seen('InMeeting')).toBe('meet');
    expect(seen('DeliveringArtifact')).toBe('carry');
    expect(seen('SeekingUserDecision')).toBe('ask');
    expect(seen('WalkingToPlayer')).toBe('ask');
    expect(seen('BlockedWaiting')).toBe('blocked');
    expect(seen('BlockedWaiting', { needs_you: true })).toBe('ask');
    expect(seen('Offline', { needs_you: true })).toBe('offline');
    expect(seen('Somewhere' as AgentState)).toBe('idle');
  });

  it('type only while text arrives', () => {
    const a = agent('WorkingAtPOI');
    expect(poseOf(a, undefined, now)).toBe('read');
    expect(poseOf(a, stream('code', typingFor - 1), now)).toBe('type');
    expect(poseOf(a, stream('code', typingFor + 1), now)).toBe('read');
    expect(poseOf(a, stream('token', 0, true), now)).toBe('read');
    expect(poseOf(a, stream('thought', thinkingFor - 1), now)).toBe('think');
    expect(poseOf(a, stream('code', 0), now, true)).toBe('walk');
  });
});

describe('walking', () => {
  it('matches the position that the world computes', () => {
    const path: Vec3[] = [[0, 0, 0], [2, 0, 0], [2, 0, 0], [2, 0, 3], [-1, 0, 3]], out: Step = { x: 0, z: 0, hx: 0, hz: 0, arrived: false };
    for (let d = -1; d < 10; d += 0.37) {
      const want = along(path, d), got = stepAlong(path, d, out);
      expect([got.x, got.z, got.hx, got.hz, got.arrived]).toEqual([want.pos[0], want.pos[2], want.heading[0], want.heading[2], want.arrived]);
    }
    expect(stepAlong([], 3, out).arrived).toBe(true);
  });

  it('faces where it walks, arrives, sits down and faces as its goal says', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    const view = walker(1, [[0, 0, 1], [3, 0, 1]], { state: 'WorkingAtPOI' });
    view.motion!.goal = { kind: 'go_to_poi', poi_id: 'poi_desk', anchor_id: 'anchor_desk' };
    view.motion!.facing = [0, 0, -1];
    updater.update([view], new Map(), now);
    const p = cast.people[0]!;
    run(cast, now, 1);
    expect(p.moving).toBe(true);
    expect(p.heading).toBeCloseTo(Math.PI / 2, 1);
    expect(cast.data[At.walk]).toBeGreaterThan(0.9);
    run(cast, now + 1000, 3);
    expect(p.moving).toBe(false);
    expect([p.x, p.z]).toEqual([expect.closeTo(3, 2), expect.closeTo(1, 2)]);
    expect(Math.cos(p.heading)).toBeCloseTo(-1, 2);
    expect(cast.data[At.sit]).toBeCloseTo(1, 1);
    expect(p.settled).toBe(true);
  });

  it('smooths a small error, and corrects a large one in one jump', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene }), p = () => cast.people[0]!;
    updater.update([agent('IdleAtHome', { pos: [0, 0, 0] })], new Map(), now);
    updater.update([agent('IdleAtHome', { pos: [1, 0, 0] })], new Map(), now);
    run(cast, now, 0.02);
    expect(p().x).toBeLessThan(0.4);
    run(cast, now, 2);
    expect(p().x).toBeCloseTo(1, 2);
    updater.update([agent('IdleAtHome', { pos: [5, 0, 0] })], new Map(), now);
    run(cast, now, 0.02);
    expect(p().x).toBeCloseTo(5, 2);
  });

  it("matches the world's position at any time", () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene }), view = walker(2, [[0, 0, 0], [4, 0, 0], [4, 0, 4]]);
    updater.update([view], new Map(), now);
    for (const at of [0, 900, 2800, 4000, 9000]) {
      run(cast, now + at, 1.5);
      const want = position(view, now + at + 1500).pos, p = cast.people[0]!;
      expect(Math.hypot(p.x - want[0], p.z - want[2])).toBeLessThan(0.2);
    }
  });

  it('does not glide with reduced motion', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    updater.update([agent('IdleAtHome')], new Map(), now);
    updater.update([agent('Offline', { pos: [1, 0, 1] })], new Map(), now);
    stepPerson(cast, cast.people[0]!, { now, dt: 1 / 60, still: true });
    expect(cast.people[0]!.x).toBe(1);
    expect(cast.data[At.dim]).toBe(1);
    expect(cast.people[0]!.settled).toBe(true);
  });
});

describe('a crowd', () => {
  it('never has two people on one spot, and keeps people without a desk', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    const all = Array.from({ length: 60 }, (_, i) => walker(i, [[1, 0, 1]], { state: 'IdleAtHome', motion: { seq: 1, path: [[1, 0, 1]], speed_mps: 1, started_at: now, goal: { kind: 'idle', poi_id: 'poi_unknown' } } }));
    updater.update(all, new Map(), now);
    run(cast, now, 1);
    for (const a of cast.people) for (const b of cast.people) if (a !== b) expect(Math.hypot(a.x - b.x, a.z - b.z)).toBeGreaterThan(0.2);
  });

  it('of a thousand keeps its arrays over a hundred frames, and reuses rows of people who left', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    const all = Array.from({ length: 1000 }, (_, i) => walker(i, [[i % 7, 0, i % 5], [-(i % 6), 0, 3]]));
    updater.update(all, new Map(), now);
    expect(cast.capacity).toBe(1024);
    const { data, texture, people } = cast;
    const m = { now, dt: 1 / 60, still: false };
    for (let f = 0; f < 100; f++) { m.now = now + f * 16; for (const p of people) stepPerson(cast, p, m); cast.flush(); }
    expect(cast.data).toBe(data);
    expect(cast.texture).toBe(texture);
    expect(cast.people).toBe(people);
    expect(texture.updateRanges.length).toBeLessThanOrEqual(texture.image.height as number + 1);
    updater.update(all.slice(500), new Map(), now);
    expect(cast.count).toBe(500);
    expect(cast.people.every((p, i) => p.index === i && cast.byId.get(p.id) === p)).toBe(true);
    expect(cast.data[cast.people[3]!.index * STRIDE]).toBeCloseTo(cast.people[3]!.x, 4);
  });

  it('changes no one when a snapshot repeats the state', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    const view = walker(1, [[0, 0, 0], [1, 0, 0]]);
    updater.update([view], new Map(), now);
    run(cast, now, 3);
    updater.update([{ ...view, status_line: 'new words' }], new Map(), now + 3000);
    expect(cast.people[0]!.settled).toBe(true);
    expect(stepPerson(cast, cast.people[0]!, { now: now + 3000, dt: 1 / 60, still: false })).toBe(false);
  });

  it('drops a card on the nearest agent within reach', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: scene });
    updater.update([walker(1, [[0, 0, 0]]), walker(2, [[2, 0, 0]])], new Map(), now);
    const project = (p: { x: number }) => ({ x: p.x * 100, y: 50, visible: true });
    expect(nearestAgent(cast, 180, 60, project)?.id).toBe('agent_2');
    expect(nearestAgent(cast, 100, 50, project)).toBeNull();
  });
});
