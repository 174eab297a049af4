import * as T from 'three';
import type { Inside } from './volume.ts';
import { brightest, lightByte, lightOf, type Lamp } from './lamps.ts';
import type { Rect } from '../world/campus.ts';

/**
 * The baked light of lamps, which all lit materials share. `uLamps` is its colour and strength, black while the lamps
 * are off or are point lights. `uLampMap` is the light above each point of an area of the ground; `uLampArea` is that
 * area: its corner and the inverse of its size.
 */
export interface LampUniforms { [name: string]: T.IUniform; uLamps: T.IUniform<T.Color>; uLampMap: T.IUniform<T.DataTexture>; uLampArea: T.IUniform<T.Vector4> }

/** A room with lamps; without walls, the light of its lamps reaches everywhere. */
export interface LitRoom { room: Inside; walls: boolean; lamps: readonly Lamp[]; x: number; z: number }

/** The size of a texel of the map, in metres. */
const texel = 0.4;
/** The height at which the map measures light, in metres. */
const height = 0.7;
/** The share of a lamp's light that a surface lit by the map receives, whichever way it faces. */
const facing = 0.55;

export function lampUniforms(): LampUniforms {
  return { uLamps: { value: new T.Color(0, 0, 0) }, uLampMap: { value: mapOf(new Uint8Array(1), 1, 1) }, uLampArea: { value: new T.Vector4() } };
}

function mapOf(data: Uint8Array<ArrayBuffer>, width: number, depth: number): T.DataTexture {
  const map = new T.DataTexture(data, width, depth, T.RedFormat);
  map.magFilter = map.minFilter = T.LinearFilter;
  map.needsUpdate = true;
  return map;
}

/**
 * Computes the light on the ground of a campus, and yields after each room. The returned function makes materials
 * use this light.
 */
export function* bakeLampMap({ uLampMap, uLampArea }: LampUniforms, { x0, x1, z0, z1 }: Rect, rooms: readonly LitRoom[]): Generator<void, () => void> {
  const width = Math.ceil((x1 - x0) / texel), depth = Math.ceil((z1 - z0) / texel), light = new Float32Array(width * depth);
  for (const { room, walls, lamps, x, z } of rooms) {
    for (const lamp of lamps) {
      const lx = lamp.pos[0] + x, lz = lamp.pos[2] + z, high = (lamp.pos[1] - height) ** 2;
      const left = walls ? x - room.w / 2 : -Infinity, back = walls ? z - room.d / 2 : -Infinity;
      for (let j = Math.max(0, Math.floor((lz - lamp.reach - z0) / texel)); j < Math.min(depth, (lz + lamp.reach - z0) / texel); j++) {
        const pz = z0 + (j + 0.5) * texel;
        if (pz < back) continue;
        for (let i = Math.max(0, Math.floor((lx - lamp.reach - x0) / texel)); i < Math.min(width, (lx + lamp.reach - x0) / texel); i++) {
          const px = x0 + (i + 0.5) * texel;
          if (px >= left) light[j * width + i]! += lightOf(lamp, Math.sqrt((px - lx) ** 2 + (pz - lz) ** 2 + high));
        }
      }
    }
    yield;
  }
  const map = mapOf(Uint8Array.from(light, lightByte), width, depth);
  return () => {
    uLampMap.value.dispose();
    uLampMap.value = map;
    uLampArea.value.set(x0, z0, 1 / (width * texel), 1 / (depth * texel));
  };
}

const lampVertex = `
vec4 lampAt = vec4(transformed, 1.);
#ifdef USE_INSTANCING
lampAt = instanceMatrix * lampAt;
#endif
vec2 onMap = ((modelMatrix * lampAt).xz - uLampArea.xy) * uLampArea.zw;
vLamp = pow(texture2D(uLampMap, onMap).r, 2.) * ${(brightest * facing).toFixed(2)};
#include <project_vertex>`;

/** Makes a lit material read the lamps' light from the map. */
export function lightByMap<M extends T.Material>(material: M, uniforms: LampUniforms): M {
  return patch(material, 'lamps', shader => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = `uniform sampler2D uLampMap; uniform vec4 uLampArea; varying float vLamp;\n${shader.vertexShader.replace('#include <project_vertex>', lampVertex)}`;
    shader.fragmentShader = `uniform vec3 uLamps; varying float vLamp;\n${shader.fragmentShader.replace('#include <aomap_fragment>', 'reflectedLight.directDiffuse += diffuseColor.rgb * RECIPROCAL_PI * uLamps * vLamp;')}`;
  });
}

/** Adds a change to the shader of a material, after the existing changes. */
export function patch<M extends T.Material>(material: M, name: string, change: (shader: T.WebGLProgramParametersWithUniforms) => void): M {
  const before = material.onBeforeCompile, key = name + material.customProgramCacheKey();
  material.onBeforeCompile = (shader, renderer) => {
    before.call(material, shader, renderer);
    change(shader);
  };
  material.customProgramCacheKey = () => key;
  return material;
}
