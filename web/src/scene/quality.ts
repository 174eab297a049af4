/** How well the room is drawn. Chosen once by what the machine can do, then only ever lowered. */
export type Tier = 'high' | 'low' | 'test';

export interface Quality {
  readonly tier: Tier;
  /** Steps taken down within the tier because frames were slow. */
  readonly step: number;
  readonly shadows: 'vsm' | 'pcf' | 'none';
  readonly shadowSize: number;
  /** How often moving people may redraw the shadow map, in times a second. */
  readonly shadowHz: number;
  readonly lit: 'standard' | 'lambert';
  readonly antialias: boolean;
  /** Highest ratio of device to CSS pixels. */
  readonly dpr: number;
  /** Whether edges are rounded and round things are smooth. */
  readonly fine: boolean;
  /** Shortest time between two frames, in milliseconds. */
  readonly frameGap: number;
}

const tiers: Record<Tier, Quality> = {
  high: { tier: 'high', step: 0, shadows: 'vsm', shadowSize: 1536, shadowHz: 30, lit: 'standard', antialias: true, dpr: 2, fine: true, frameGap: 0 },
  low: { tier: 'low', step: 0, shadows: 'pcf', shadowSize: 1024, shadowHz: 4, lit: 'lambert', antialias: false, dpr: 1, fine: true, frameGap: 33 },
  test: { tier: 'test', step: 0, shadows: 'none', shadowSize: 0, shadowHz: 0, lit: 'lambert', antialias: false, dpr: 1, fine: false, frameGap: 0 },
};

export const quality = (tier: Tier): Quality => tiers[tier];

const isTier = (s: string | null | undefined): s is Tier => s === 'high' || s === 'low' || s === 'test';

/** Renderers that compute every pixel on the processor. */
const software = /swiftshader|llvmpipe|software|softpipe|basic render/i;

/** What the choice rests on. `asked` is ?quality=, `set` the setting. */
export interface Machine { asked?: string | null; set?: string; renderer?: string; cores?: number; phone?: boolean }

/** The tier to begin with, and whether a person chose it: then it stays. */
export interface Chosen { quality: Quality; pinned: boolean }

export function chooseQuality(m: Machine): Chosen {
  if (isTier(m.asked)) return { quality: tiers[m.asked], pinned: true };
  if (isTier(m.set)) return { quality: tiers[m.set], pinned: true };
  const weak = software.test(m.renderer ?? '') || (m.phone === true && (m.cores ?? 8) < 6);
  return { quality: tiers[weak ? 'low' : 'high'], pinned: false };
}

/** One step down: fewer pixels, then no shadows, then fewer pixels again. Null when there is nothing left to give. */
export function stepDown(q: Quality): Quality | null {
  const step = q.step + 1;
  if (q.dpr > 1) return { ...q, step, dpr: 1, shadowHz: Math.min(q.shadowHz, 15) };
  if (q.shadows !== 'none') return { ...q, step, shadows: 'none' };
  if (q.dpr > 0.75) return { ...q, step, dpr: 0.75 };
  return null;
}

/** A frame slower than this, in milliseconds, is felt. */
const slow = 42;
const enough = 24;
const longEnough = 2500;

/**
 * Watches frame times and says when to step down. It looks at the median of a full
 * window, starts a new window after every verdict, and never steps up: a room
 * that flickers between two looks is worse than a plain one.
 */
export class Pace {
  #times: number[] = [];
  #sum = 0;

  /** Adds the time from one frame to the next; true means the frames are too slow. */
  add(ms: number): boolean {
    this.#times.push(ms);
    this.#sum += ms;
    const full = this.#times.length >= enough || (this.#times.length >= 5 && this.#sum >= longEnough);
    if (!full) return false;
    const sorted = this.#times.toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1] ?? 0;
    this.reset();
    return median > slow;
  }

  reset(): void { this.#times = []; this.#sum = 0; }
}
