import type { IUniform, Material } from 'three';
import type { Stage } from './layer.ts';

/** The kinds of objects whose leaves move. */
export const swayingKinds: ReadonlySet<string> = new Set(['planter', 'monstera', 'plant_leafy', 'bush', 'tree']);

const foliage = /^(leaf|petal|tree)_|^(stem|stalk|blossom|autumn|hedge)$/;

/** Reports whether a paint is used for leaves, flowers or stems. */
export const isFoliage = (paint: string): boolean => foliage.test(paint);

/** The time in seconds, and how far plants sway: 0 on weak machines and with reduced motion. */
interface Wind { [name: string]: IUniform; uWindTime: IUniform<number>; uWind: IUniform<number> }

const winds = new WeakMap<object, Wind>();

/** Returns the wind of a stage, which all its plants share. */
function windOf(stage: object): Wind {
  let w = winds.get(stage);
  if (!w) winds.set(stage, w = { uWindTime: { value: 0 }, uWind: { value: 0 } });
  return w;
}

/**
 * Sets the time and strength of the wind for the plants of a stage. It never requests a frame: plants sway only in
 * frames that something else requests.
 */
export function updateWind(stage: Stage, now: number): void {
  const { uWindTime, uWind } = windOf(stage);
  uWindTime.value = (now % 3_600_000) / 1000;
  uWind.value = stage.still || stage.quality.tier !== 'high' ? 0 : 1;
}

/** Makes a material move the vertices of plants; call it after all other changes to the material's shader. */
export function swaying<M extends Material>(stage: Stage, material: M): M {
  const wind = windOf(stage), before = material.onBeforeCompile, key = material.customProgramCacheKey();
  material.onBeforeCompile = (shader, renderer) => {
    before.call(material, shader, renderer);
    Object.assign(shader.uniforms, wind);
    shader.vertexShader = `attribute float sway; uniform float uWindTime; uniform float uWind;\n${shader.vertexShader}`.replace('#include <begin_vertex>', `#include <begin_vertex>
      { float gust=uWindTime*1.15+position.x*1.3+position.z*1.7; transformed.xz+=vec2(sin(gust)+.4*sin(gust*2.3),cos(gust*.83))*sway*sway*.028*uWind; }`);
  };
  material.customProgramCacheKey = () => `${key} sway`;
  return material;
}
