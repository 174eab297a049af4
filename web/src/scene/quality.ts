/** The quality of the picture; 'test' draws the least. */
export type Tier = 'high' | 'low' | 'test';

export interface Quality {
  readonly tier: Tier;
  /** By how many steps the quality has been lowered within the tier because frames were slow. */
  readonly step: number;
  readonly shadows: 'vsm' | 'pcf' | 'none';
  readonly shadowSize: number;
  /** How many times a second the shadow map may be redrawn. */
  readonly shadowHz: number;
  readonly lit: 'standard' | 'lambert';
  readonly antialias: boolean;
  /** The highest ratio of device to CSS pixels. */
  readonly dpr: number;
  /** Whether edges are rounded and round shapes are smooth. */
  readonly fine: boolean;
  /** The shortest time between two frames, in ms. */
  readonly frameGap: number;
}

const tiers: Record<Tier, Quality> = {
  high: { tier: 'high', step: 0, shadows: 'vsm', shadowSize: 1536, shadowHz: 30, lit: 'standard', antialias: true, dpr: 2, fine: true, frameGap: 0 },
  low: { tier: 'low', step: 0, shadows: 'pcf', shadowSize: 1024, shadowHz: 4, lit: 'lambert', antialias: false, dpr: 1, fine: true, frameGap: 33 },
  test: { tier: 'test', step: 0, shadows: 'none', shadowSize: 0, shadowHz: 0, lit: 'lambert', antialias: false, dpr: 1, fine: false, frameGap: 1000 },
};

export const quality = (tier: Tier): Quality => tiers[tier];

const isTier = (s: string | null | undefined): s is Tier => s === 'high' || s === 'low' || s === 'test';

/** Matches the names of software renderers. */
const software = /swiftshader|llvmpipe|software|softpipe|basic render/i;

/** The input to chooseQuality. `asked` is the value of ?quality=, `set` the value of the setting. */
export interface Machine { asked?: string | null; set?: string; renderer?: string; cores?: number; phone?: boolean }

/** The initial quality; `pinned` means that the user chose it, so it is never lowered. */
export interface Chosen { quality: Quality; pinned: boolean }

export function chooseQuality(m: Machine): Chosen {
  if (isTier(m.asked)) return { quality: tiers[m.asked], pinned: true };
  if (isTier(m.set)) return { quality: tiers[m.set], pinned: true };
  const weak = software.test(m.renderer ?? '') || (m.phone === true && (m.cores ?? 8) < 6);
  return { quality: tiers[weak ? 'low' : 'high'], pinned: false };
}

/** Returns the next lower quality: fewer pixels, then no shadows, then fewer pixels again; null at the minimum. */
export function stepDown(q: Quality): Quality | null {
  const step = q.step + 1;
  if (q.dpr > 1) return { ...q, step, dpr: 1, shadowHz: Math.min(q.shadowHz, 15) };
  if (q.shadows !== 'none') return { ...q, step, shadows: 'none' };
  if (q.dpr > 0.75) return { ...q, step, dpr: 0.75 };
  return null;
}

/** The frame time, in ms, above which the picture visibly stutters. */
const slow = 42;
/** A window is full after this many frames or, if it has at least 5 frames, after this many ms. */
const windowFrames = 24, windowMs = 2500;

/**
 * Measures frame times and reports when to lower the quality. It uses the median of a full window and starts a new
 * window after every decision. It never raises the quality, so that the room does not switch back and forth between
 * two looks.
 */
export class FrameTimer {
  #times: number[] = [];
  #sum = 0;

  /** Adds the time between two frames; returns true if a window is full and its frames are too slow. */
  add(ms: number): boolean {
    this.#times.push(ms);
    this.#sum += ms;
    const full = this.#times.length >= windowFrames || (this.#times.length >= 5 && this.#sum >= windowMs);
    if (!full) return false;
    const sorted = this.#times.toSorted((a, b) => a - b);
    const median = sorted[sorted.length >> 1] ?? 0;
    this.reset();
    return median > slow;
  }

  reset(): void { this.#times = []; this.#sum = 0; }
}
