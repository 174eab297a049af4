import type { Box } from '../world/focus.ts';

/** How much of a label is shown, from most to least; a bubble may also be right or left of the head. */
export type LabelMode = 'bubble' | 'right' | 'left' | 'pill' | 'icon';

/** A candidate for a label. x, y is the point above the head where the label stands, in CSS pixels. */
export interface Tag {
  id: string;
  x: number;
  y: number;
  /** People with a higher rank are placed first; see also `urgent`. */
  rank: number;
  pillWidth: number;
  /** The size of the bubble, if there is one. */
  bubble: { width: number; height: number } | null;
  /**
   * Set for an agent that is asking a question: its bubble goes next to the head, `away` pixels to the side and `down`
   * pixels below the point above the head.
   */
  side?: { away: number; down: number };
}

/** A placed label; x, y is its bottom centre. */
export interface PlacedLabel { id: string; mode: LabelMode; x: number; y: number; width: number; height: number }
/** A badge that replaces the labels of several people. */
export interface Crowded { key: string; count: number; x: number; y: number; width: number; height: number }
export interface Layout { placed: PlacedLabel[]; crowded: Crowded[] }
/** The size of the picture, the setting for labels, and the cards that cover parts of the picture. */
export interface LayoutView { width: number; height: number; labels: 'auto' | 'all'; cards: readonly Box[] }

export const pillHeight = 24;
export const iconSize = 24;
export const bubbleGap = 6;
export const maxBubbles = 3;
/** Pictures narrower than this, in CSS pixels, have no speech bubbles, because the panel below shows the same text. */
export const narrow = 500;
/** People with at least this rank never count as part of a crowd. */
export const urgent = 60;
const gap = 3;
const lifts = [0, -13, -26, -39, -54];
const nudges: readonly (readonly [number, number])[] = [[0, 0], [0, -14], [-15, -4], [15, -4], [0, -28]];
/** More than `crowdLimit` people in a square of this size, in CSS pixels, are a crowd. */
const crowdCell = 104;
const crowdLimit = 4;
export const badgeWidth = (count: number): number => 82 + 9 * String(count).length;

/** The occupied parts of the picture, in a coarse grid so that each query checks only a few boxes. */
export class Field {
  readonly #cells = new Map<number, number[]>();
  readonly #rects: number[] = [];
  static readonly #cell = 72;

  /** Reports whether a box with its bottom centre at x, y is clear of all occupied parts. */
  free(x: number, y: number, w: number, h: number): boolean {
    return !this.#each(x, y, w, h, list => {
      for (const i of list) {
        const l = this.#rects[i]!, t = this.#rects[i + 1]!, r = this.#rects[i + 2]!, b = this.#rects[i + 3]!;
        if (x - w / 2 < r + gap && x + w / 2 > l - gap && y - h < b + gap && y > t - gap) return true;
      }
      return false;
    });
  }

  take(x: number, y: number, w: number, h: number): void {
    const i = this.#rects.length;
    this.#rects.push(x - w / 2, y - h, x + w / 2, y);
    this.#each(x, y, w, h, (list) => { list.push(i); return false; });
  }

  #each(x: number, y: number, w: number, h: number, visit: (list: number[]) => boolean): boolean {
    const c = Field.#cell, pad = gap;
    for (let j = Math.floor((y - h - pad) / c); j <= Math.floor((y + pad) / c); j++) {
      for (let i = Math.floor((x - w / 2 - pad) / c); i <= Math.floor((x + w / 2 + pad) / c); i++) {
        const key = (i + 2048) * 8192 + j + 2048;
        let list = this.#cells.get(key);
        if (!list) this.#cells.set(key, list = []);
        if (visit(list)) return true;
      }
    }
    return false;
  }
}

/**
 * Places labels so that no two overlap and none is under a card: important and nearby people first, each label as large
 * as possible. Badges count the people without a label. The same input produces the same layout.
 */
export function layout(tags: readonly Tag[], view: LayoutView): Layout {
  const field = new Field(), placed: PlacedLabel[] = [], lost: Tag[] = [];
  for (const c of view.cards) field.take((c.left + c.right) / 2, c.bottom, c.right - c.left, c.bottom - c.top);
  const under = (t: Tag) => view.cards.some(c => t.x > c.left && t.x < c.right && t.y > c.top && t.y < c.bottom);
  const seen = tags.filter(t => t.x > -20 && t.x < view.width + 20 && t.y > -10 && t.y < view.height + 60 && (t.rank >= urgent || !under(t)));
  const order = seen.toSorted((a, b) => b.rank - a.rank || b.y - a.y || (a.id < b.id ? -1 : 1));
  const packed = view.labels === 'auto' ? crowdsOf(order) : null;
  const bubbleLimit = view.width < narrow ? 0 : maxBubbles;
  let bubbles = 0;
  for (const t of order) {
    if (packed?.has(t)) { lost.push(t); continue; }
    const p = place(t, field, view, bubbles < bubbleLimit);
    if (!p) { lost.push(t); continue; }
    if (p.mode !== 'pill' && p.mode !== 'icon') bubbles++;
    field.take(p.x, p.y, p.width, p.height);
    placed.push(p);
  }
  const crowded = badges(lost, field, view, placed);
  return { placed, crowded };
}

function place(t: Tag, field: Field, view: LayoutView, mayTalk: boolean): PlacedLabel | null {
  const keep = (half: number) => Math.min(Math.max(t.x, half + 2), view.width - half - 2);
  if (t.bubble && mayTalk) {
    const width = Math.max(t.bubble.width, t.pillWidth), height = t.bubble.height + bubbleGap + pillHeight, x = keep(width / 2);
    for (const mode of t.side ? (['right', 'left'] as const) : []) {
      const { away, down } = t.side!, at = t.x + (mode === 'right' ? 1 : -1) * (away + width / 2), y = t.y + down + height / 2;
      if (at - width / 2 > 2 && at + width / 2 < view.width - 2 && y - height > 2 && y < view.height && field.free(at, y, width, height)) return { id: t.id, mode, x: at, y, width, height };
    }
    for (const lift of lifts) {
      const y = Math.max(t.y + lift, height + 2);
      if (field.free(x, y, width, height)) return { id: t.id, mode: 'bubble', x, y, width, height };
    }
  }
  const x = keep(t.pillWidth / 2);
  for (const lift of lifts) if (field.free(x, t.y + lift, t.pillWidth, pillHeight)) return { id: t.id, mode: 'pill', x, y: t.y + lift, width: t.pillWidth, height: pillHeight };
  for (const [dx, dy] of nudges) if (field.free(t.x + dx, t.y + dy, iconSize, iconSize)) return { id: t.id, mode: 'icon', x: t.x + dx, y: t.y + dy, width: iconSize, height: iconSize };
  return null;
}

/** Returns the tags that are in a crowd; urgent tags are not counted. */
function crowdsOf(tags: readonly Tag[]): ReadonlySet<Tag> {
  const cells = new Map<string, Tag[]>(), out = new Set<Tag>();
  for (const t of tags) {
    if (t.rank >= urgent) continue;
    const key = cellOf(t), list = cells.get(key);
    if (list) list.push(t); else cells.set(key, [t]);
  }
  for (const list of cells.values()) if (list.length > crowdLimit) for (const t of list) out.add(t);
  return out;
}

const cellOf = (t: Tag) => `${Math.floor(t.x / crowdCell)}:${Math.floor(t.y / crowdCell)}`;

/**
 * Groups the people without a label into badges and returns the badges; a single person gets an icon nearby instead.
 */
function badges(lost: readonly Tag[], field: Field, view: LayoutView, placed: PlacedLabel[]): Crowded[] {
  const groups = new Map<string, Tag[]>(), out: Crowded[] = [];
  for (const t of lost) { const key = cellOf(t), list = groups.get(key); if (list) list.push(t); else groups.set(key, [t]); }
  for (const [key, list] of groups) {
    const cx = list.reduce((s, t) => s + t.x, 0) / list.length, cy = list.reduce((s, t) => s + t.y, 0) / list.length;
    const alone = list.length === 1, width = alone ? iconSize : badgeWidth(list.length), spot = spiral(cx, cy, width, field, view);
    if (spot && alone) {
      field.take(spot.x, spot.y, width, iconSize);
      placed.push({ id: list[0]!.id, mode: 'icon', x: spot.x, y: spot.y, width, height: iconSize });
    } else if (spot) {
      field.take(spot.x, spot.y, width, pillHeight);
      out.push({ key, count: list.length, x: spot.x, y: spot.y, width, height: pillHeight });
    } else join(out, list.length, cx, cy);
  }
  return out;
}

/** Adds count to the nearest badge that is wide enough for the sum, because there is no space for another badge. */
function join(out: readonly Crowded[], count: number, x: number, y: number): void {
  let best: Crowded | null = null, least = Infinity;
  for (const c of out) { const d = (c.x - x) ** 2 + (c.y - y) ** 2; if (d < least && badgeWidth(c.count + count) <= c.width) { best = c; least = d; } }
  if (best) best.count += count;
}

function spiral(cx: number, cy: number, width: number, field: Field, view: LayoutView): { x: number; y: number } | null {
  for (let i = 0; i < 60; i++) {
    const r = 9 * Math.sqrt(i), a = i * 2.399963;
    const x = Math.min(Math.max(cx + Math.cos(a) * r * 1.5, width / 2 + 2), view.width - width / 2 - 2), y = Math.max(cy + Math.sin(a) * r, pillHeight + 2);
    if (field.free(x, y, width, pillHeight)) return { x, y };
  }
  return null;
}
