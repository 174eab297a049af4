import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { frameRoom } from './fit.ts';
import { stillOf } from './still.gen.ts';
import { roomHash, stillBox, stillSize } from './still.ts';

const manifest = JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes/cozy_office_v0.json'), 'utf8')) as SceneManifest;
const shown = { camera: manifest.ambience.camera, fov: manifest.ambience.fov, room: manifest.room };

describe('the still of the room', () => {
  test('shows the current room: after a change run `npm run capture still`', () => {
    expect(roomHash(manifest)).toBe(stillOf);
  });

  test('is used for this room only, whatever the key order in its manifest', () => {
    expect(roomHash({ ...manifest, objects: manifest.objects.slice(1) })).not.toBe(stillOf);
    expect(roomHash({ ...manifest, room: Object.fromEntries(Object.entries(manifest.room).toReversed()) as unknown as SceneManifest['room'] })).toBe(stillOf);
  });

  test('is where the live room will be drawn', () => {
    expect(stillBox(shown, stillSize, [])).toEqual({ left: 0, top: 0, ...stillSize });
    const size = { width: 1920, height: 1080 }, panels = [{ left: 1500, top: 0, right: 1920, bottom: 1080 }], box = stillBox(shown, size, panels), f = frameRoom(shown, size, panels), made = frameRoom(shown, stillSize, []);
    // The camera's target is at the same point on the page in the still and in the live room.
    expect(box.left + box.width * (0.5 - made.aside)).toBeCloseTo(size.width * (0.5 - f.aside));
    expect(box.top + box.height * (0.5 - made.rise)).toBeCloseTo(size.height * (0.5 - f.rise));
    expect(box.height / size.height).toBeCloseTo(made.distance / f.distance);
  });
});
