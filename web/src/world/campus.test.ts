import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Room, SceneManifest } from '../contracts/protocol.gen.ts';
import { composeScene, groundStrips, groupByRoom, nobody, placeCampus, plotMiddle, roomSuffix, tallyParts, tallyRooms, type Plot, type Tally } from './campus.ts';
import type { AgentView } from './rows.ts';

const contracts = join(process.cwd(), '../contracts');
const read = (path: string): unknown => JSON.parse(readFileSync(join(contracts, path), 'utf8'));
const scene = (id: string) => read(`scenes/${id}.json`) as SceneManifest;
const house = scene('cozy_office_v0');
const modules = new Map(['studio_v0', 'garden_v0'].map((id) => [id, scene(id)]));
const room = (n: number, plot: [number, number], more: Partial<Room> = {}): Room => ({ room_id: `room_${n}`, key: `/src/p${n}`, label: `p${n}`, module: 'studio', plot, accent: 'blue', desks: 2, ...more });

interface Case {
  house: [number, number];
  studio: [number, number];
  centres: { plot: [number, number]; at: [number, number] }[];
  ground: { plots: Plot[]; strips: [number, number, number, number][] }[];
}
const { cases } = read('vectors/plots.json') as { cases: Case[] };

describe('plots', () => {
  it.each(cases)('are where the server puts them: house $house', ({ house: [hw, hd], studio: [sw, sd], centres, ground }) => {
    for (const { plot, at } of centres) {
      expect(plotMiddle(plot[0], hw, sw)).toBeCloseTo(at[0]);
      expect(plotMiddle(plot[1], hd, sd)).toBeCloseTo(at[1]);
    }
    for (const { plots, strips } of ground) {
      const found = groundStrips({ w: hw, d: hd }, { w: sw, d: sd }, plots);
      expect(found.length).toBe(strips.length);
      found.forEach((s, i) => [s.x0, s.z0, s.x1, s.z1].forEach((v, k) => expect(v).toBeCloseTo(strips[i]![k]!)));
    }
  });
});

describe('the campus', () => {
  it('is only the house if there are no rooms or a manifest is missing', () => {
    expect(placeCampus(house, modules, [])).toHaveLength(1);
    expect(placeCampus(house, new Map(), [room(1, [1, 0])])).toHaveLength(1);
    expect(composeScene(placeCampus(house, modules, []))).toBe(house);
  });

  it('has a garden as soon as there is a room', () => {
    const placed = placeCampus(house, modules, [room(1, [1, 0]), room(2, [0, 1])]);
    expect(placed.map((p) => [p.id, p.x, p.z])).toEqual([['', 0, 0], ['garden', 15.2, 13], ['room_1', 15.2, 0], ['room_2', 0, 13]]);
  });

  it('leaves out rooms of a kind that this client does not know', () => {
    expect(placeCampus(house, modules, [room(1, [1, 0], { module: 'tower' }), room(2, [0, 1])]).map((p) => p.id)).toEqual(['', 'garden', 'room_2']);
  });

  it('has the places of all rooms, each with its own id and position', () => {
    const { pois } = composeScene(placeCampus(house, modules, [room(3, [1, 0]), room(12, [0, 1])]));
    const ids = pois.flatMap((p) => [p.poi_id, ...p.nav_anchors.map((a) => a.id)]);
    expect(new Set(ids).size).toBe(ids.length);
    const desk = pois.find((p) => p.poi_id === 'poi_desk_1_r12')!;
    const [anchor] = desk.nav_anchors;
    expect([anchor.id, anchor.pos[0], anchor.pos[2]]).toEqual(['anchor_desk_1_r12', 0.89, 12.33]);
    expect(desk.camera.target[2]).toBeGreaterThan(8);
    expect(pois.some((p) => p.poi_id === 'poi_task_board')).toBe(true);
    expect(pois.some((p) => p.poi_id === 'poi_garden_fire')).toBe(true);
  });

  it('adds a suffix to place ids only in numbered rooms', () => {
    expect(['room_7', '', 'garden', 'room_x', 'room_1_2'].map(roomSuffix)).toEqual(['_r7', '', '', '', '']);
  });
});

interface TallyCase { name: string; agents: Partial<AgentView>[]; want: Record<string, Omit<Tally, 'total'> & { words: string }> }
const tallies = read('vectors/tallies.json') as TallyCase[];

// The cases are in contracts/vectors/tallies.json; package model runs them too.
describe('tallyRooms', () => {
  it.each(tallies)('$name', ({ agents, want }) => {
    const counted = tallyRooms(agents.map((a, i) => ({ agent_id: `agent_${i}`, pos: [0, 0, 0], ...a }) as AgentView));
    const found = [...counted].map(([id, { total, ...parts }]) => {
      expect(parts.working + parts.waiting + parts.needing + parts.free).toBe(total);
      return [id, { ...parts, words: tallyParts({ ...parts, total }).map(([, , words]) => words).join(' · ') }] as const;
    });
    expect(Object.fromEntries(found)).toEqual(want);
  });
});

describe('tallyParts', () => {
  it('mentions people without work only if no one else is there', () => {
    const words = (more: object) => tallyParts({ ...nobody, ...more }).map(([part, , said]) => `${part} ${said}`);
    expect(words({ working: 8, waiting: 2, needing: 1, free: 3, total: 14 })).toEqual(['w 8 working', 'q 2 waiting', 'y 1 needs you']);
    expect(words({ free: 3, total: 3 })).toEqual(['f 3 free']);
    expect(words({})).toEqual([]);
  });
});

describe('groupByRoom', () => {
  const at = (id: string, room_id?: string): AgentView => ({ agent_id: id, name: id, state: 'IdleAtHome', pos: [0, 0, 0], ...(room_id && { room_id }) });

  it('assigns items without a known agent, and items in rooms that are not drawn, to the house', () => {
    const placed = placeCampus(house, modules, [room(1, [1, 0]), room(2, [0, 1], { module: 'tower' })]);
    const groups = groupByRoom(placed, [at('a', 'room_1'), at('b', 'room_2'), at('c')], ['a', 'b', 'gone', 'a', 'c', ''], (id) => id || undefined);
    expect(groups.map((g) => [g.place.id, g.items])).toEqual([['room_1', ['a', 'a']], ['', ['b', 'gone', 'c', '']]]);
  });
});
