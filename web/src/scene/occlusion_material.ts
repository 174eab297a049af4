import * as T from 'three';
import { patch, type LampUniforms } from './lampmap.ts';
import { brightest } from './lamps.ts';
import { cell, channels, openness, taps, type Volume } from './volume.ts';

/** The colour of full shade: only warm light from nearby objects is left. */
const darkest = [0.5, 0.3, 0.24] as const;

/**
 * The uniforms from which lit materials read volumes of one size; the volumes are stacked in one texture. `uShade` is
 * how much of the shade is shown.
 */
export type VolumeUniforms = ReturnType<typeof volumeUniforms>;

/** Returns uniforms for volumes that have not been computed yet. */
export function volumeUniforms({ uLamps }: LampUniforms) {
  const texture = new T.Data3DTexture(new Uint8Array(channels), 1, 1, 1);
  return { uVolume: { value: texture }, uVolumeAt: { value: new T.Vector3() }, uVolumeSize: { value: new T.Vector3(1, 1, 1) }, uSlots: { value: 1 }, uShade: { value: 0 }, uLamps };
}

/** Stores volumes, which must all have the same size; missing volumes stay empty. */
export function setVolumes({ uVolume, uVolumeAt, uVolumeSize, uSlots }: VolumeUniforms, volumes: readonly (Volume | undefined)[]): void {
  const { cells: [nx, ny, nz], origin } = volumes.find(v => v)!, slots = volumes.length, layer = nx * ny * channels;
  let data = volumes[0]?.data;
  if (!data || slots > 1) {
    data = new Uint8Array(layer * nz * slots);
    for (let k = 0; k < nz; k++) volumes.forEach((v, slot) => { if (v) data!.set(v.data.subarray(k * layer, (k + 1) * layer), (k * slots + slot) * layer); });
  }
  const texture = new T.Data3DTexture(data, nx, ny * slots, nz);
  texture.format = T.RGBAFormat;
  texture.minFilter = T.LinearFilter;
  texture.magFilter = T.LinearFilter;
  texture.needsUpdate = true;
  uVolume.value.dispose();
  uVolume.value = texture;
  uVolumeAt.value.fromArray(origin);
  uVolumeSize.value.set(nx, ny, nz).multiplyScalar(cell);
  uSlots.value = slots;
}

const vec3 = (v: readonly number[]): string => `vec3(${v.map(x => x.toFixed(3)).join(',')})`;

const readTaps = `
uniform lowp sampler3D uVolume;
uniform vec3 uVolumeAt, uVolumeSize, uLamps;
uniform float uShade, uSlots;
varying vec3 vRoomPoint, vRoomNormal;
varying float vSlot;
vec4 inVolume(vec3 p) {
  p = (p - uVolumeAt) / uVolumeSize;
  float edge = ${(cell / 2).toFixed(3)} / uVolumeSize.y;
  p.y = (clamp(p.y, edge, 1. - edge) + vSlot) / uSlots;
  return texture(uVolume, p);
}`;

// Light increases towards a lamp, so the difference between the taps shows how much a surface faces
// the lamp.
const applyTaps = `
vec3 roomNormal = normalize(vRoomNormal);
vec4 close = inVolume(vRoomPoint + roomNormal * ${taps.close.toFixed(3)}), wide = inVolume(vRoomPoint + roomNormal * ${taps.wide.toFixed(3)});
float open = (1. - .5 * smoothstep(.2, .75, close.r)) * (1. - .78 * smoothstep(.02, .42, wide.g));
vec3 shade = mix(${vec3(darkest)}, vec3(1.), mix(1., open, uShade));
float facing = clamp(.5 + 5. * (wide.b - close.b) / (close.b + .02), .12, 1.);
reflectedLight.indirectDiffuse *= shade;
reflectedLight.directDiffuse += diffuseColor.rgb * RECIPROCAL_PI * uLamps * (close.b * close.b * ${brightest.toFixed(1)} * facing);
reflectedLight.directDiffuse *= mix(vec3(1.), shade, .62);
reflectedLight.directSpecular *= shade.r;`;

/** Makes a lit material read a volume with two taps along the normal; `slot` is a GLSL expression for the volume's number. */
export function readVolume(material: T.Material, uniforms: VolumeUniforms, slot = '0.'): void {
  patch(material, 'volume', shader => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = `varying vec3 vRoomPoint, vRoomNormal; varying float vSlot;\n${shader.vertexShader
      .replace('#include <begin_vertex>', `#include <begin_vertex>\nvRoomPoint = position;\nvRoomNormal = normal;\nvSlot = ${slot};`)}`;
    shader.fragmentShader = shader.fragmentShader.replace('#include <common>', `#include <common>${readTaps}`).replace('#include <aomap_fragment>', applyTaps);
  });
}

/** Multiplies the colour of each point by its shade. */
export function shadePoints(geometry: T.BufferGeometry, volume: Volume): void {
  const { array: p } = geometry.getAttribute('position'), { array: n } = geometry.getAttribute('normal');
  const color = geometry.getAttribute('color');
  for (let i = 0; i < p.length; i += 3) {
    const open = openness(volume, p[i]!, p[i + 1]!, p[i + 2]!, [n[i]!, n[i + 1]!, n[i + 2]!]);
    for (let c = 0; c < 3; c++) color.array[i + c]! *= darkest[c]! + (1 - darkest[c]!) * open;
  }
  color.needsUpdate = true;
}
