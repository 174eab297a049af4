import * as T from 'three';
import { createContact, disposeDecal, type Decal } from './decal.ts';
import type { Kit } from './kit.ts';
import type { Layer, Stage } from './layer.ts';
import { finish, inSlices } from './slices.ts';
import { buildVolume, cell, openness, taps, type Volume } from './volume.ts';

/** Darkens the parts of a room that little light reaches: corners, shelves, undersides and the floor below furniture. */
export interface OcclusionLayer extends Layer {
  /** True once the room is shaded. */
  readonly ready: boolean;
  /**
   * Shades a mesh whose points are in the coordinates of the room. Low quality computes the shade of each point,
   * which needs a fine mesh; a coarse one is left as it is.
   */
  shade(mesh: T.Mesh, fine?: boolean): void;
}

/** How long the shade takes to appear, in seconds. */
const fade = 0.5;
/** The colour of full shade: only warm light from nearby objects is left. */
const darkest = [0.5, 0.3, 0.24] as const;

/** Creates the shade of a room. It is computed in slices after the room was built, and fades in. */
export function createOcclusion(stage: Stage, kit: Kit): OcclusionLayer {
  const { room } = stage.manifest, group = new T.Group(), perPixel = stage.quality.lit === 'standard';
  const uniforms = volumeUniforms(), points: T.BufferGeometry[] = [];
  let contact: Decal | null = null, shown = 0;
  const take = (volume: Volume): void => {
    contact = createContact(volume.floor, room.w, room.d);
    contact.material.opacity = 0;
    group.add(contact);
    if (perPixel) setVolume(uniforms, volume);
    for (const g of points) shadePoints(g, volume);
    stage.invalidate();
  };
  const work = buildVolume(room, [kit.batches.matte.solid(), kit.batches.glossy.solid()]);
  // Tests draw their first frame with the shade; a person does not wait for it.
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
      shown = stage.still || stage.quality.tier === 'test' ? 1 : Math.min(1, shown + dt / fade);
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

type VolumeUniforms = ReturnType<typeof volumeUniforms>;

/** Returns uniforms for a volume that is not computed yet; uShade is how much of the shade is shown. */
function volumeUniforms() {
  return { uVolume: { value: new T.Data3DTexture(new Uint8Array(2), 1, 1, 1) }, uVolumeAt: { value: new T.Vector3() }, uVolumeSize: { value: new T.Vector3(1, 1, 1) }, uShade: { value: 0 } };
}

function setVolume({ uVolume, uVolumeAt, uVolumeSize }: VolumeUniforms, { data, cells, origin }: Volume): void {
  const texture = new T.Data3DTexture(data, ...cells);
  texture.format = T.RGFormat;
  texture.minFilter = T.LinearFilter;
  texture.magFilter = T.LinearFilter;
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  uVolume.value.dispose();
  uVolume.value = texture;
  uVolumeAt.value.fromArray(origin);
  uVolumeSize.value.set(...cells).multiplyScalar(cell);
}

const vec3 = (v: readonly number[]): string => `vec3(${v.map(x => x.toFixed(3)).join(',')})`;

const readTaps = `
uniform lowp sampler3D uVolume;
uniform vec3 uVolumeAt, uVolumeSize;
uniform float uShade;
varying vec3 vRoomPoint, vRoomNormal;
float openness() {
  vec3 n = normalize(vRoomNormal), p = vRoomPoint - uVolumeAt;
  float close = texture(uVolume, (p + n * ${taps.close.toFixed(3)}) / uVolumeSize).r;
  float wide = texture(uVolume, (p + n * ${taps.wide.toFixed(3)}) / uVolumeSize).g;
  return (1. - .5 * smoothstep(.2, .75, close)) * (1. - .78 * smoothstep(.02, .42, wide));
}`;

const applyTaps = `
vec3 shade = mix(${vec3(darkest)}, vec3(1.), mix(1., openness(), uShade));
reflectedLight.indirectDiffuse *= shade;
reflectedLight.directDiffuse *= mix(vec3(1.), shade, .62);
reflectedLight.directSpecular *= shade.r;`;

/** Makes a lit material read the volume with two taps along the normal. */
function readVolume(material: T.Material, uniforms: VolumeUniforms): void {
  material.onBeforeCompile = shader => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec3 vRoomPoint, vRoomNormal;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nvRoomPoint = position;\nvRoomNormal = normal;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>${readTaps}`)
      .replace('#include <aomap_fragment>', applyTaps);
  };
  material.customProgramCacheKey = () => 'occlusion';
}

/** Multiplies the colour of each point by its shade. */
function shadePoints(geometry: T.BufferGeometry, volume: Volume): void {
  const { array: p } = geometry.getAttribute('position'), { array: n } = geometry.getAttribute('normal');
  const color = geometry.getAttribute('color');
  for (let i = 0; i < p.length; i += 3) {
    const open = openness(volume, p[i]!, p[i + 1]!, p[i + 2]!, [n[i]!, n[i + 1]!, n[i + 2]!]);
    for (let c = 0; c < 3; c++) color.array[i + c]! *= darkest[c]! + (1 - darkest[c]!) * open;
  }
  color.needsUpdate = true;
}
