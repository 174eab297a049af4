// @vitest-environment node
import { MeshLambertMaterial, type WebGLProgramParametersWithUniforms, type WebGLRenderer } from 'three';
import { expect, test } from 'vitest';
import { bakeLampMap, lampUniforms, lightByMap, patch } from './lampmap.ts';
import { finish } from './slices.ts';

const room = { w: 10, d: 8, h: 2.5 };
const lamp = { pos: [-4, 1.7, 0] as [number, number, number], intensity: 9, reach: 6, decay: 1.6 };

/** Returns the light at a point of the ground. */
function lightAt(walls: boolean, x: number, z: number): number {
  const uniforms = lampUniforms();
  finish(bakeLampMap(uniforms, { x0: -20, x1: 40, z0: -20, z1: 20 }, [{ room, walls, lamps: [lamp], x: 10, z: 0 }]))();
  const { image: { data, width, height } } = uniforms.uLampMap.value, area = uniforms.uLampArea.value;
  return (data as Uint8Array)[Math.floor((z - area.y) * area.w * height) * width + Math.floor((x - area.x) * area.z * width)]!;
}

test('the ground is lit around a lamp, where its room stands', () => {
  expect(lightAt(true, 6, 0)).toBeGreaterThan(lightAt(true, 9, 0));
  expect(lightAt(true, 9, 0)).toBeGreaterThan(0);
  expect(lightAt(true, 30, 0)).toBe(0);
});

test('walls keep the light of a room inside, and a garden has none', () => {
  expect(lightAt(true, 4, 0)).toBe(0);
  expect(lightAt(false, 4, 0)).toBeGreaterThan(0);
});

test('changes to a shader add up, and materials with other changes use other programs', () => {
  const shader = { uniforms: {}, vertexShader: '#include <project_vertex>', fragmentShader: '#include <aomap_fragment>' } as unknown as WebGLProgramParametersWithUniforms;
  const plain = new MeshLambertMaterial(), first = patch(new MeshLambertMaterial(), 'first', s => { s.vertexShader += 'first'; }), key = first.customProgramCacheKey();
  lightByMap(first, lampUniforms()).onBeforeCompile(shader, {} as WebGLRenderer);
  expect(shader.vertexShader).toMatch(/vLamp[\s\S]*first$/);
  expect(shader.fragmentShader).toContain('uLamps');
  expect(new Set([plain.customProgramCacheKey(), key, first.customProgramCacheKey()]).size).toBe(3);
});
