import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { absent, slimShader, slimShaders, slimThree, stubs, unusedCounts, unusedDefines } from '../../three_slim.ts';

const shaders = join(process.cwd(), 'node_modules/three/src/renderers/shaders');
const chunks = readdirSync(shaders, { recursive: true, encoding: 'utf8' }).filter(f => f.endsWith('.glsl.js')).map(f => ({ name: f, code: readFileSync(join(shaders, f), 'utf8') }));
const scene = join(process.cwd(), 'src/scene');
const client = readdirSync(scene, { recursive: true, encoding: 'utf8' }).filter(f => f.endsWith('.ts') && !f.endsWith('.test.ts')).map(f => readFileSync(join(scene, f), 'utf8')).join('\n');

describe('slim shaders', () => {
  it('lose comments and indentation, and keep a line for each directive', () => {
    expect(slimShader('\n// why\n#include <common>\n\tvoid main() { /* x */\n\t\tfloat a = 1.0 - - 2.0;\n\t#pragma unroll_loop_start\n\t}\n')).toBe('#include <common>\nvoid main(){float a=1.0 - - 2.0;\n#pragma unroll_loop_start\n}');
  });

  it('drop branches that are never taken, and keep the others', () => {
    const text = '#ifdef USE_FOG\na\n#else\nb\n#endif\n#if defined( USE_MAP ) && defined( USE_FOG )\nc\n#elif defined( USE_MAP )\nd\n#endif\n#ifndef USE_FOG\ne\n#endif\n#if NUM_SPOT_LIGHTS > 0\nf\n#endif\n#ifdef USE_MAP\ng\n#ifdef USE_FOG\nh\n#endif\n#endif';
    expect(slimShader(text)).toBe('b\n#if defined( USE_MAP )\nd\n#endif\ne\n#ifdef USE_MAP\ng\n#endif\n');
  });

  it('keep balanced conditions, braces and every include of every chunk', () => {
    for (const { name, code } of chunks) {
      const slim = slimShaders(code), count = (what: RegExp) => slim.match(what)?.length ?? 0;
      expect(count(/#if/g), name).toBe(count(/#endif/g));
      expect(count(/\{/g), name).toBe(count(/\}/g));
      for (const line of slim.split('\n')) if (line.includes('#include')) expect(line.replace(/^.*`/, ''), name).toMatch(/^#include <\w+>`?;?$/);
    }
  });

  it('list only names that three knows', () => {
    const all = chunks.map(c => c.code).join('\n');
    for (const name of [...unusedDefines, ...unusedCounts]) expect(all, name).toMatch(new RegExp(`\\b${name}\\b`));
    expect(() => slimThree()).not.toThrow();
  });
});

describe('the client', () => {
  it('uses no material, light or option that was left out', () => {
    for (const name of ['MeshPhong', 'MeshToon', 'MeshMatcap', 'MeshNormal', 'MeshPhysical', 'LineDashed', 'Sprite', 'ShadowMaterial', 'SpotLight', 'RectAreaLight', 'SunLight', 'LightProbe', 'SkinnedMesh', 'BatchedMesh', 'Fog', 'PMREM']) expect(client, name).not.toMatch(new RegExp(`\\b(T\\.)?${name}\\w*\\(`));
    for (const name of absent.options) expect(client, name).not.toMatch(new RegExp(`\\.${name}\\b|\\b${name}\\??:`));
    expect(client).not.toMatch(/\b(clippingPlanes|anisotropy:|vertexTangents|outputBufferType|layerUpdates)\b/);
    expect(client.match(/\w+ToneMapping/g)).toEqual(['NeutralToneMapping']);
  });

  it('replaces each stubbed module with one that exports the same names', () => {
    for (const [path, code] of Object.entries(stubs)) {
      const real = readFileSync(join(shaders, '..', '..', path), 'utf8');
      for (const [, name] of code.matchAll(/export (?:const|class) (\w+)/g)) expect(real, path).toMatch(new RegExp(`export[^;]*\\b${name}\\b`));
    }
  });
});
