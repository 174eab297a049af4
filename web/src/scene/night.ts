import type { Backdrop, SceneAmbience } from '../contracts/protocol.gen.ts';
import { evening } from '../look/palette.ts';
import type { Theme } from '../world/settings.ts';

/** Local hours at which dawn and dusk begin and end. */
export const turns = { dawn: [6, 7.5], dusk: [18, 20] } as const;

const smooth = (a: number, b: number, x: number): number => { const t = Math.min(1, Math.max(0, (x - a) / (b - a))); return t * t * (3 - 2 * t); };

/** Returns how dark it is at a local hour: 0 by day, 1 by night, in between at twilight. */
export function nightAt(hour: number): number {
  return 1 - smooth(turns.dawn[0], turns.dawn[1], hour) + smooth(turns.dusk[0], turns.dusk[1], hour);
}

export const hourOf = (date: Date): number => date.getHours() + date.getMinutes() / 60 + date.getSeconds() / 3600;

/** Returns how dark to show the room for a theme setting: 0 for day, 1 for night; auto goes by the clock. */
export function nightFor(theme: Theme, date: Date): number {
  if (theme === 'day') return 0;
  return theme === 'night' ? 1 : nightAt(hourOf(date));
}

/** Returns how much of the light is evening light: none by day or at night, all in the middle of twilight. */
export const duskOf = (night: number): number => 4 * night * (1 - night);

export const mix = (a: number, b: number, t: number): number => a + (b - a) * t;

/** Mixes two #rrggbb colours in sRGB, the page's colour space. */
export function mixHex(a: string, b: string, t: number): string {
  const x = Number.parseInt(a.slice(1), 16), y = Number.parseInt(b.slice(1), 16);
  const byte = (shift: number) => Math.round(mix((x >> shift) & 255, (y >> shift) & 255, t));
  return '#' + ((1 << 24) | (byte(16) << 16) | (byte(8) << 8) | byte(0)).toString(16).slice(1);
}

/** Paints the page behind the room. The canvas is transparent, so the sky costs nothing to draw. */
export function paintSky(root: HTMLElement, ambience: SceneAmbience, night: number): void {
  const { day, night: dark } = ambience, at = (b: Backdrop, i: number) => b.colors[Math.min(i, b.colors.length - 1)]!;
  for (let i = 0; i < 3; i++) root.style.setProperty(`--sky-${i}`, mixHex(mixHex(at(day, i), at(dark, i), night), evening.backdrop[i]!, duskOf(night)));
  root.style.setProperty('--sky-stop', `${mix(day.stops[1] ?? 50, dark.stops[1] ?? 50, night).toFixed(1)}%`);
  paintHour(root, night);
}

/** Sets the page's --night and data-hour. A call before the manifest is loaded prevents a bright flash at night. */
export function paintHour(root: HTMLElement, night: number): void {
  root.style.setProperty('--night', night.toFixed(3));
  root.dataset.hour = night > 0.5 ? 'night' : 'day';
}
