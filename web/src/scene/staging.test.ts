import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import type { AgentView } from '../world/store.ts';
import { Cast } from './people_cast.ts';
import { CastUpdater } from './people_updater.ts';
import { nextToOf, companionHeading, offStage, seeks, stagePlaces, towardCamera } from './staging.ts';

const manifest = JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes/cozy_office_v0.json'), 'utf8')) as SceneManifest;
const stage = manifest.pois.find(p => p.type === 'stage')!;
const asker = (id: string, anchor: string, facing?: [number, number, number]): AgentView => {
  const at = stage.nav_anchors.find(a => a.id === anchor)?.pos ?? [0.6, 0, 1.2];
  const goal = { kind: 'wait_for_user' as const, ...(anchor && { anchor_id: anchor }) };
  return { agent_id: id, name: id, role: 'writer', state: 'BlockedWaiting', needs_you: true, pos: at, goal, motion: { seq: 1, path: [at], speed_mps: 1, started_at: 0, state: 'BlockedWaiting', goal, ...(facing && { facing }) } } as AgentView;
};

describe('staging a question', () => {
  test('five places face the camera, and none hides another', () => {
    expect(stage.nav_anchors).toHaveLength(5);
    for (const a of stage.nav_anchors) expect(Math.atan2(a.facing[0], a.facing[2])).toBeCloseTo(towardCamera(manifest), 2);
    const column = ([x, , z]: readonly number[]) => (x! - z!) * Math.SQRT1_2;
    for (const [i, a] of stage.nav_anchors.entries()) for (const b of stage.nav_anchors.slice(i + 1)) expect(Math.abs(column(a.pos) - column(b.pos)), `${a.id} ${b.id}`).toBeGreaterThan(0.75);
  });

  test('an agent with a question looks into the camera, wherever it came from and whatever its facing', () => {
    const cast = new Cast(), updater = new CastUpdater(cast, { manifest: manifest });
    updater.update([asker('agent_a', 'anchor_stage_1'), asker('agent_b', '', [-1, 0, 0])], new Map(), 1000);
    for (const id of ['agent_a', 'agent_b']) expect(cast.byId.get(id)!.heading).toBeCloseTo(Math.PI / 4, 2);
  });

  test('the visitor stands 0.9 m to the left of the first place, half turned to it', () => {
    const [x, , z] = stage.nav_anchors[0]!.pos, spot = nextToOf({ x, z }, manifest), [px, , pz] = manifest.spawns.player;
    expect(Math.hypot(spot.x - x, spot.z - z)).toBeCloseTo(0.9);
    expect(Math.hypot(spot.x - px, spot.z - pz)).toBeLessThan(0.05);
    expect(companionHeading(spot, { x, z }, manifest)! * (180 / Math.PI)).toBeCloseTo(80);
    expect(companionHeading({ x: -5, z: 0 }, { x, z }, manifest)).toBeNull();
  });

  test('a guest that is waiting without a question is not asking', () => {
    const guest = { ...asker('agent_a', 'anchor_sofa_1'), source: 'claude', activity: 'waiting', state: 'SeekingUserDecision' } as AgentView;
    expect(seeks(guest)).toBe(true);
    expect(seeks({ ...guest, needs_you: false })).toBe(false);
    expect(seeks({ ...guest, source: undefined, needs_you: false } as unknown as AgentView)).toBe(true);
  });

  test('the agent at the last place represents the agents in its room that have no place', () => {
    const five = stagePlaces(manifest).map((id, i) => asker(`agent_${i}`, id)), more = [asker('agent_x', 'anchor_sofa_1'), asker('agent_y', ''), { ...asker('agent_z', ''), room_id: 'room_1' }];
    expect([...offStage([...more, ...five], manifest)]).toEqual([['agent_4', ['agent_x', 'agent_y']]]);
    expect(offStage([...more, ...five.slice(0, 4)], manifest).size).toBe(0);
    expect(offStage(five, manifest).size).toBe(0);
    expect(offStage(more, { ...manifest, pois: [] }).size).toBe(0);
  });
});
