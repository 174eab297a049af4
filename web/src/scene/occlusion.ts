import * as T from 'three';
import type { LightSet, SceneRoom } from '../contracts/protocol.gen.ts';
import { createContact, disposeDecal, type Decal } from './decal.ts';
import type { Kit } from './kit.ts';
import { lampsOf } from './lamps.ts';
import type { Layer, Stage } from './layer.ts';
import { readVolume, setVolumes, shadePoints, volumeUniforms } from './occlusion_material.ts';
import { finish, inSlices } from './slices.ts';
import { buildVolume, type Volume } from './volume.ts';

/** Darkens the parts of a room that little light reaches: corners, shelves, undersides and the floor below furniture. */
export interface OcclusionLayer extends Layer {
  /** True once the room is shaded. */
  readonly ready: boolean;
  /**
   * Shades a mesh whose points are in room coordinates. At low quality, the shade is computed for each point, which
   * needs a fine mesh; a coarse mesh is left as it is.
   */
  shade(mesh: T.Mesh, fine?: boolean): void;
}

/** How long shade takes to appear, in seconds. */
const fade = 0.5;

/** Returns how much of the shade is shown after a frame of dt seconds, given how much was shown before. */
export function fadeIn(stage: Stage, shown: number, dt: number): number {
  return stage.still || stage.quality.tier === 'test' ? 1 : Math.min(1, shown + dt / fade);
}

/** Creates the shade of a room. It is computed in slices after the room has been built, and fades in. */
export function createOcclusion(stage: Stage, room: SceneRoom, night: LightSet, kit: Kit): OcclusionLayer {
  const group = new T.Group(), perPixel = stage.quality.lit === 'standard';
  const uniforms = volumeUniforms(stage.lamps), points: T.BufferGeometry[] = [];
  let contact: Decal | null = null, shown = 0;
  const take = (volume: Volume): void => {
    contact = createContact(volume.floor, room.w, room.d);
    contact.material.opacity = 0;
    group.add(contact);
    if (perPixel) setVolumes(uniforms, [volume]);
    for (const g of points) shadePoints(g, volume);
    stage.invalidate();
  };
  const work = buildVolume(room, [kit.batches.matte.solid(), kit.batches.glossy.solid()], perPixel ? lampsOf(night.lamps, kit.glows) : []);
  // Tests draw their first frame with the shade; real users do not wait for it.
  let stop = (): void => {};
  const start = (): void => { if (stage.quality.tier === 'test') take(finish(work)); else stop = inSlices(work, take); };
  let started = false;
  return {
    group,
    get ready() { return shown === 1; },
    shade(mesh, fine = true) {
      if (perPixel) readVolume(mesh.material as T.Material, uniforms);
      else if (fine) points.push(mesh.geometry);
    },
    update(_, dt) {
      if (!started) { started = true; start(); }
      if (!contact || shown === 1) return false;
      shown = fadeIn(stage, shown, dt);
      contact.material.opacity = uniforms.uShade.value = shown;
      return shown < 1;
    },
    dispose() {
      stop();
      uniforms.uVolume.value.dispose();
      if (contact) disposeDecal(contact);
    },
  };
}
