import { CAMPUS_GAP, CAMPUS_MARGIN, GARDEN_SCENE, MODULE_STUDIO, STUDIO_SCENE } from '../contracts/limits.gen.ts';
import type { NavAnchor, Poi, Room, SceneManifest, Vec3 } from '../contracts/protocol.gen.ts';
import * as say from '../contracts/words.gen.ts';
import type { AgentView } from './rows.ts';

// The campus: the house, a garden and the studios around it. The formulas are those of world/scene/plot.go;
// contracts/vectors/plots.json tests both.

/** The manifests that a campus needs in addition to the house's manifest. */
export const moduleScenes: readonly string[] = [STUDIO_SCENE, GARDEN_SCENE];
const sceneOf: Readonly<Record<string, string>> = { [MODULE_STUDIO]: STUDIO_SCENE };

/** A place for a module: column and row, counted from the house at 0, 0. */
export type Plot = readonly [number, number];
const gardenPlot: Plot = [1, 1];

/** How far the lawn is below the floors, in metres. */
export const lawnDepth = 0.1;

/** A module and its position: the house, the garden or a studio. Only a studio has a room. */
export interface Placed {
  /** The id of the room. For the house it is empty, and for the garden it is `garden`. */
  id: string;
  label: string;
  room: Room | null;
  manifest: SceneManifest;
  plot: Plot;
  x: number;
  z: number;
}

/** A width along x and a depth along z, in metres. */
interface Size { w: number; d: number }

/**
 * Returns the middle of a column or row; `house` and `studio` are the lengths of the house and of a studio along that
 * axis.
 */
export function plotMiddle(n: number, house: number, studio: number): number {
  return n === 0 ? 0 : Math.max(house, studio) / 2 + CAMPUS_GAP + studio / 2 + (n - 1) * (studio + CAMPUS_GAP);
}

function plotEnd(n: number, house: number, studio: number): number {
  return plotMiddle(n, house, studio) + (n === 0 ? Math.max(house, studio) : studio) / 2 + CAMPUS_MARGIN;
}

/** A rectangle of the campus, in metres. */
export interface Rect { x0: number; x1: number; z0: number; z1: number }

/** Returns the strips of ground under used plots, the house, the garden and everything between them, from back to front. */
export function groundStrips(house: Size, studio: Size, plots: readonly Plot[]): Rect[] {
  const used: readonly Plot[] = [[0, 0], gardenPlot, ...plots];
  const strips: Rect[] = [];
  const x0 = -plotEnd(0, house.w, studio.w);
  let z0 = -plotEnd(0, house.d, studio.d);
  for (let row = 0; row <= Math.max(...used.map((p) => p[1])); row++) {
    const x1 = plotEnd(Math.max(...used.filter((p) => p[1] >= row).map((p) => p[0])), house.w, studio.w);
    const z1 = plotEnd(row, house.d, studio.d);
    const last = strips.at(-1);
    if (last?.x1 === x1) last.z1 = z1;
    else strips.push({ x0, x1, z0, z1 });
    z0 = z1;
  }
  return strips;
}

/** Returns the suffix of the place ids in a room: "_r3" in room_3, empty elsewhere. */
export function roomSuffix(roomId: string): string {
  return /^room_\d+$/.test(roomId) ? `_r${roomId.slice(5)}` : '';
}

/**
 * Returns the house, the garden and all rooms with their places, in that order. If there are no rooms, or if a manifest
 * is missing, it returns only the house.
 */
export function placeCampus(house: SceneManifest, modules: ReadonlyMap<string, SceneManifest>, rooms: readonly Room[]): readonly Placed[] {
  const home: Placed = { id: '', label: house.label, room: null, manifest: house, plot: [0, 0], x: 0, z: 0 };
  const garden = modules.get(GARDEN_SCENE);
  const place = (id: string, label: string, room: Room | null, plot: Plot, manifest: SceneManifest): Placed => ({
    id, label, room, manifest, plot,
    x: plotMiddle(plot[0], house.room.w, manifest.room.w),
    z: plotMiddle(plot[1], house.room.d, manifest.room.d),
  });
  const placed = rooms.flatMap((room) => {
    const manifest = modules.get(sceneOf[room.module] ?? '');
    return manifest ? [place(room.room_id, room.label, room, room.plot, manifest)] : [];
  });
  return garden && placed.length > 0 ? [home, place('garden', garden.label, null, gardenPlot, garden), ...placed] : [home];
}

/** Returns the house's manifest with the places of the whole campus. */
export function composeScene(placed: readonly Placed[]): SceneManifest {
  const house = placed[0]!.manifest;
  if (placed.length === 1) return house;
  return { ...house, pois: placed.flatMap((p) => (p.id === '' ? p.manifest.pois : p.manifest.pois.map((poi) => movePoi(poi, p)))) };
}

function movePoi(poi: Poi, { id, x, z }: Placed): Poi {
  const suffix = roomSuffix(id);
  const move = (v: Vec3): Vec3 => [v[0] + x, v[1], v[2] + z];
  const anchor = (a: NavAnchor): NavAnchor => ({ ...a, id: a.id + suffix, pos: move(a.pos), ...(a.approach && { approach: move(a.approach) }) });
  return {
    ...poi,
    poi_id: poi.poi_id + suffix,
    ui_anchor: move(poi.ui_anchor),
    camera: { ...poi.camera, target: move(poi.camera.target) },
    nav_anchors: poi.nav_anchors.map(anchor) as Poi['nav_anchors'],
  };
}

const isOffline = (a: AgentView): boolean => a.activity === 'offline' || a.state === 'Offline';

/** Returns the agents in a room, except offline agents, which are not drawn; the room "" is the house. */
export function peopleIn(roomId: string, agents: readonly AgentView[]): AgentView[] {
  return agents.filter((a) => (a.room_id ?? '') === roomId && !isOffline(a));
}

/** How many agents in a room are working, are waiting, need a person, or have nothing to do. */
export interface Tally { working: number; waiting: number; needing: number; free: number; total: number }

export const nobody: Tally = { working: 0, waiting: 0, needing: 0, free: 0, total: 0 };

/**
 * Counts the agents in every room, by room_id; the id of the house is "". model/campus.go follows the same rules;
 * contracts/vectors/tallies.json tests both.
 */
export function tallyRooms(agents: readonly AgentView[]): ReadonlyMap<string, Tally> {
  const out = new Map<string, Tally>();
  for (const a of agents) {
    if (isOffline(a)) continue;
    const id = a.room_id ?? '';
    const t = out.get(id) ?? { ...nobody };
    out.set(id, t);
    t.total++;
    if (a.needs_you) t.needing++;
    else t[doing(a)]++;
  }
  return out;
}

/** A part of a tally: the letter of its style, the number of agents, and the number in words. */
export type TallyPart = readonly [part: 'w' | 'q' | 'y' | 'f', n: number, words: string];

/** Returns the non-empty parts of a tally. Agents without work are included only if there are no others. */
export function tallyParts({ working, waiting, needing, free, total }: Tally): readonly TallyPart[] {
  const parts: readonly TallyPart[] = [
    ['w', working, say.working(working)],
    ['q', waiting, say.waiting(waiting)],
    ['y', needing, say.needYou(needing)],
    ['f', free === total ? free : 0, say.free(free)],
  ];
  return parts.filter(([, n]) => n > 0);
}

/** The items that belong to one room of the campus. */
export interface RoomItems<T> { place: Placed; items: readonly T[] }

/**
 * Groups items by the room of their agent. The rooms are in the order of their first items. Items without an agent, and
 * items in rooms that this client does not draw, belong to the house.
 */
export function groupByRoom<T>(campus: readonly Placed[], agents: readonly AgentView[], items: readonly T[], agentOf: (item: T) => string | undefined): readonly RoomItems<T>[] {
  const places = new Map(campus.map((p) => [p.id, p]));
  const rooms = new Map(agents.map((a) => [a.agent_id, a.room_id ?? '']));
  const groups = new Map<Placed, T[]>();
  for (const item of items) {
    const place = places.get(rooms.get(agentOf(item) ?? '') ?? '') ?? campus[0]!;
    const group = groups.get(place);
    if (group) group.push(item);
    else groups.set(place, [item]);
  }
  return [...groups].map(([place, group]) => ({ place, items: group }));
}

const atWork: ReadonlySet<string> = new Set(['WorkingAtPOI', 'InMeeting', 'DeliveringArtifact']);

/** Returns what an agent is doing, based on a guest's activity or a crew member's state. */
function doing(a: AgentView): 'working' | 'waiting' | 'free' {
  if (a.source ? a.activity === 'working' : atWork.has(a.state)) return 'working';
  return (a.source ? a.activity === 'waiting' : a.state === 'BlockedWaiting') ? 'waiting' : 'free';
}
