import type { Artifact, Decor, SceneManifest, SceneObject, Task, Vec3 } from '../contracts/protocol.gen.ts';

/** The place of a box, card or trophy in the room: position, rotation about y, tilt and size. */
export interface Spot { id: string; pos: Vec3; turn: number; tilt: number; size: number }

/** Converts a point from an object's frame to the room's. */
export function toRoom(o: SceneObject, x: number, y: number, z: number): Vec3 {
  const s = Math.sin(o.rotation_y), c = Math.cos(o.rotation_y), k = o.scale ?? 1;
  return [o.pos[0] + (x * c + z * s) * k, o.pos[1] + y * k, o.pos[2] + (z * c - x * s) * k];
}

export const objectOf = (m: SceneManifest, kind: string): SceneObject | undefined => m.objects.find(o => o.kind === kind);

const numbers = (v: unknown, other: number[]): number[] => (Array.isArray(v) && v.every(n => typeof n === 'number') && v.length > 0 ? v : other);

/** Reports whether an artifact is on the shelf, that is, delivered but not yet reviewed. */
export const onShelf = (a: Artifact): boolean => a.status === 'delivered' || a.status === 'in_review';

export interface Shelved { boxes: Spot[]; /** The number of boxes that do not fit; 0 if all are shown. */ more: number; morePos: Vec3 }

/** The height of a full-size box, in metres. */
export const boxHeight = 0.3;
/** The scale of boxes that share a compartment. */
const small = 0.6;

/**
 * Places one box per artifact, newest first: on the middle board, then above, then below. Each box has its own
 * compartment; if there are too many boxes, four share a compartment.
 */
export function shelve(shelf: SceneObject, newestFirst: readonly string[]): Shelved {
  const w = shelf.size?.[0] ?? 2.1, columns = typeof shelf.style?.columns === 'number' ? Math.max(1, shelf.style.columns) : 3;
  const boards = numbers(shelf.style?.boards, [0.11, 0.65, 1.19]), middle = Math.floor(boards.length / 2);
  const rows = boards.map((y, i) => ({ y, far: Math.abs(i - middle) * 2 - (i > middle ? 1 : 0) })).sort((a, b) => a.far - b.far);
  const holes = rows.flatMap(r => Array.from({ length: columns }, (_, c) => ({ x: -w / 2 + 0.025 + ((c + 0.5) * (w - 0.05)) / columns, y: r.y })));
  const shared = newestFirst.length > holes.length, room = holes.length * (shared ? 4 : 1);
  const boxes = newestFirst.slice(0, room).map((id, i): Spot => {
    const hole = holes[Math.floor(shared ? i / 4 : i)]!, k = shared ? i % 4 : 0;
    const x = shared ? (k % 2 === 0 ? -0.145 : 0.145) : 0, y = k > 1 ? boxHeight * small * 0.8 : 0;
    return { id, pos: toRoom(shelf, hole.x + x, hole.y + y, shared ? 0.3 : 0.29), turn: shelf.rotation_y + jitter(id) * 0.09, tilt: 0, size: shared ? small : 1 };
  });
  return { boxes, more: Math.max(0, newestFirst.length - room), morePos: toRoom(shelf, w / 2 - 0.2, (boards.at(-1) ?? 1.19) + 0.66, 0.5) };
}

/** A column of the wall board. */
export type Lane = 'planned' | 'doing' | 'review' | 'done';
/** The columns, from left to right. */
export const lanes: readonly Lane[] = ['planned', 'doing', 'review', 'done'];

/** Returns the lane for a status, or null for cancelled and unknown statuses. */
export function laneOf(status: string): Lane | null {
  switch (status) {
    case 'planned': return 'planned';
    case 'in_progress':
    case 'blocked': return 'doing';
    case 'review': return 'review';
    case 'done': return 'done';
    default: return null;
  }
}

/** A card on the board; `more` is the number of cards behind it. */
export interface Card extends Spot { task: Task; lane: Lane; more: number }

export const cardSize = { w: 0.255, h: 0.185 };
const perRow = 2, perColumn = 4;

/** Pins tasks to their columns, newest first; tasks that do not fit are counted on the last card. */
export function pin(board: SceneObject, tasks: readonly Task[]): Card[] {
  const w = board.size?.[0] ?? 2.5, h = board.size?.[1] ?? 1.3, foot = 1.2, frame = Array.isArray(board.style?.columns) ? Math.max(1, board.style.columns.length) : 4;
  const step = (w - 0.12) / frame, out: Card[] = [];
  for (const [i, lane] of lanes.entries()) {
    // With fewer columns than lanes, neighbouring lanes share a column.
    const column = Math.min(frame - 1, Math.floor((i * frame) / lanes.length));
    const mates = lanes.filter((_, j) => Math.min(frame - 1, Math.floor((j * frame) / lanes.length)) === column);
    if (mates[0] !== lane) continue;
    const own = tasks.filter(t => { const l = laneOf(t.status); return l !== null && mates.includes(l); }).toSorted(byAge);
    const room = perRow * perColumn, x = (column - (frame - 1) / 2) * step;
    own.slice(0, room).forEach((task, k) => {
      const last = k === room - 1, row = Math.floor(k / perRow), side = (k % perRow) - (perRow - 1) / 2;
      const at = toRoom(board, x + side * (cardSize.w + 0.022), foot + h - 0.32 - row * (cardSize.h + 0.035), 0.096 + 0.002 * k);
      out.push({ id: task.task_id, pos: at, turn: board.rotation_y, tilt: jitter(task.task_id) * 0.05, size: 1, task, lane: laneOf(task.status)!, more: last ? Math.max(0, own.length - room) : 0 });
    });
  }
  return out;
}

const byAge = (a: Task, b: Task): number => (b.updated_at ?? b.created_at ?? 0) - (a.updated_at ?? a.created_at ?? 0) || (a.task_id < b.task_id ? -1 : 1);

export const trophyKinds = ['cup_gold', 'cup_silver', 'cup_bronze', 'star', 'globe', 'espresso_machine'] as const;
export type TrophyKind = (typeof trophyKinds)[number];

/** Returns the kind of a trophy from its id (decor_trophy_cup_gold_1). An unknown kind is a star. */
export const trophyKind = (decorId: string): TrophyKind => trophyKinds.find(k => decorId.includes(k)) ?? 'star';

/** Places trophies at their anchors. A trophy whose anchor is not in this scene is placed at the next free anchor. */
export function standTrophies(m: SceneManifest, decor: readonly Decor[]): (Spot & { kind: TrophyKind })[] {
  const free = new Map(m.decor_anchors.map(a => [a.id, a]));
  const known = decor.filter(d => free.has(d.anchor_id)), taken = new Set(known.map(d => d.anchor_id));
  const spare = m.decor_anchors.filter(a => !taken.has(a.id));
  return decor.flatMap(d => {
    const a = free.get(d.anchor_id) ?? spare.shift();
    return a ? [{ id: d.decor_id, kind: trophyKind(d.decor_id), pos: a.pos, turn: a.rotation_y ?? 0, tilt: 0, size: a.scale ?? 1 }] : [];
  });
}

/** Returns a number from -1 to 1 that depends only on the id. */
function jitter(id: string): number {
  let h = 7;
  for (let i = 0; i < id.length; i++) h = (Math.imul(h, 31) + id.charCodeAt(i)) | 0;
  return ((h >>> 3) % 2001) / 1000 - 1;
}
