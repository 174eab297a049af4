import { effect } from '@preact/signals';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import day from '../look/still_day.webp?url';
import night from '../look/still_night.webp?url';
import type { RoomDeps } from './deps.ts';
import { frameRoom, type Shown } from './fit.ts';
import { nightFor } from './night.ts';
import { stillOf } from './still.gen.ts';

/** The size in CSS pixels at which the stills were drawn, without any panels. */
export const stillSize = { width: 1280, height: 720 } as const;

/**
 * Until the live room is drawn, shows a picture of the empty room in the same place and at the same size. The
 * picture is hidden if the office shows a different room. Returns a function that removes it.
 */
export function showStill(img: HTMLImageElement, { store, focus, settings }: Pick<RoomDeps, 'store' | 'focus' | 'settings'>, canvas: HTMLElement): () => void {
  // Requested before the room is known, because most offices use this room.
  img.src = nightFor(settings.theme.peek(), new Date()) > 0.5 ? night : day;
  const stop = effect(() => {
    const manifest = store.scene.value, panels = focus.panels.value;
    img.hidden = manifest === null || roomHash(manifest) !== stillOf;
    if (!manifest || img.hidden) return;
    const { left, top, width } = stillBox(shownBy(manifest), { width: canvas.clientWidth, height: canvas.clientHeight }, panels);
    Object.assign(img.style, { left: `${left}px`, top: `${top}px`, width: `${width}px` });
  });
  return () => {
    stop();
    img.classList.add('gone');
    img.addEventListener('transitionend', () => img.remove(), { once: true });
    if (img.hidden || settings.motion.peek() === 'reduced' || matchMedia('(prefers-reduced-motion: reduce)').matches) img.remove();
  };
}

const shownBy = ({ ambience: { camera, fov }, room }: SceneManifest): Shown => ({ camera, fov, room });

/** Returns where to put the still so that it matches the live room. */
export function stillBox(shown: Shown, size: { width: number; height: number }, panels: Parameters<typeof frameRoom>[2]): { left: number; top: number; width: number; height: number } {
  const made = frameRoom(shown, stillSize, []), now = frameRoom(shown, size, panels);
  const height = size.height * (made.distance / now.distance), width = height * (stillSize.width / stillSize.height);
  return { left: size.width * (0.5 - now.aside) - width * (0.5 - made.aside), top: size.height * (0.5 - now.rise) - height * (0.5 - made.rise), width, height };
}

/**
 * Returns a short hash of the parts of a manifest that determine how the empty room looks; key order does not
 * matter.
 */
export function roomHash({ room, objects, palette, lighting, ambience }: SceneManifest): string {
  const text = JSON.stringify([room, objects, palette, lighting, ambience], (_, v: unknown) => (v && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).filter(([, x]) => x !== null).sort(([a], [b]) => (a < b ? -1 : 1))) : v));
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16);
}
