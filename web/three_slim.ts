import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { type Absent, dropMethods, foldAbsent, mentionsOf, sweepMethods } from './three_sweep.ts';

/**
 * Builds the client from the source modules of three.js and leaves out what the client never uses: modules, methods,
 * options, warnings, shader features and shader comments. This affects only the build; tests and `npm run dev` use
 * the whole library. If the client uses a part that is left out, the build, `src/scene/three_slim.test.ts` or
 * `e2e/picture.test.ts` fails. Methods need no list, because the build finds out which ones the client calls.
 */
export function slimThree(): Plugin {
  const source = join(import.meta.dirname, 'node_modules', 'three', 'src');
  const paths = new Map(Object.entries(stubs).map(([path, code]) => [join(source, path), code]));
  const gone = [...paths.keys()].filter(path => !existsSync(path));
  if (gone.length > 0) throw new Error(`three has no ${gone.join(', ')}: update the list in three_slim.ts`);
  return {
    name: 'slim-three',
    apply: 'build',
    enforce: 'pre',
    resolveId: id => (id === 'three' ? join(source, 'Three.js') : null),
    load: id => paths.get(id) ?? null,
    transform(code, id) {
      if (!id.startsWith(source)) return null;
      if (id.endsWith('.glsl.js')) return { code: slimShaders(code), map: null };
      if (id.endsWith('ShaderLib.js')) return { code: dropPrograms(code), map: null };
      if (id.endsWith('Color.js')) return { code: dropColorNames(code), map: null };
      return copied.some(path => id.startsWith(join(source, path))) ? null : { code: dropMethods(code, copies), map: null };
    },
    renderChunk(code, { name }, _, { chunks }) {
      if (name !== 'three') return null;
      // Only the client's own modules use objects from three.js; other libraries do not.
      const own = Object.values(chunks).flatMap(c => Object.entries(c.modules)).filter(([id]) => !id.includes('node_modules'));
      const callers = mentionsOf(own.map(([, m]) => m.code ?? ''));
      return { code: sweepMethods(foldAbsent(code, callers, absent), callers), map: null };
    },
  };
}

/** An empty shader program, for materials that the client does not use. */
const noProgram = `export const vertex = ''; export const fragment = '';`;

/** The code that replaces modules of three.js, by path. */
export const stubs: Readonly<Record<string, string>> = {
  // No headset: the renderer only checks whether one is in use.
  'renderers/webxr/WebXRManager.js': `export class WebXRManager {
    enabled = false; isPresenting = false; cameraAutoUpdate = false;
    setAnimationLoop() {} addEventListener() {} removeEventListener() {} dispose() {}
    getEnvironmentBlendMode() {} getCamera() {} updateCamera() {} getDepthSensingMesh() { return null; } hasDepthSensing() { return false; }
  }`,
  // No environment maps, no textured backgrounds: the page is the background.
  'renderers/webgl/WebGLEnvironments.js': 'export const WebGLEnvironments = function () { return { get: () => null, dispose() {} }; };',
  'renderers/webgl/WebGLBackground.js': `import { Color } from '../../math/Color.js';
    export const WebGLBackground = function (renderer, environments, state, objects, alpha, premultiplied) {
      const color = new Color(0); let opacity = alpha === true ? 0 : 1;
      const clear = () => state.buffers.color.setClear(color.r, color.g, color.b, opacity, premultiplied);
      return {
        getClearColor: () => color, getClearAlpha: () => opacity,
        setClearColor(c, a = 1) { color.set(c); opacity = a; clear(); }, setClearAlpha(a) { opacity = a; clear(); },
        render() {
          clear();
          if (!renderer.autoClear) return;
          state.buffers.depth.setTest(true); state.buffers.depth.setMask(true); state.buffers.color.setMask(true);
          renderer.clear(renderer.autoClearColor, renderer.autoClearDepth, renderer.autoClearStencil);
        },
        addToRenderList() {}, dispose() {},
      };
    };`,
  // No post-processing, morphing, uniform buffers or clipping planes.
  'renderers/webgl/WebGLOutput.js': 'export class WebGLOutput {}',
  'renderers/webgl/WebGLMorphtargets.js': 'export const WebGLMorphtargets = function () { return { update() {} }; };',
  'renderers/webgl/WebGLUniformsGroups.js': 'export const WebGLUniformsGroups = function () { return { bind() {}, update() {}, dispose() {} }; };',
  'renderers/webgl/WebGLClipping.js': 'export class WebGLClipping { uniform = { value: null, needsUpdate: false }; numPlanes = 0; numIntersection = 0; init() { return false; } }',
  // Point lights cast no shadows, so there are no cube maps to draw.
  'renderers/WebGLCubeRenderTarget.js': 'export class WebGLCubeRenderTarget {}',
  'materials/MeshDistanceMaterial.js': 'export class MeshDistanceMaterial {}',
  // No compressed textures, and no textures with layers that are updated one by one.
  'renderers/webgl/WebGLUtils.js': `import { DepthFormat, DepthStencilFormat, FloatType, HalfFloatType, RedFormat, RGBAFormat, RGFormat, UnsignedByteType, UnsignedInt248Type, UnsignedIntType } from '../../constants.js';
    export const WebGLUtils = function (gl) {
      const known = new Map([
        [UnsignedByteType, gl.UNSIGNED_BYTE], [UnsignedIntType, gl.UNSIGNED_INT], [UnsignedInt248Type, gl.UNSIGNED_INT_24_8], [FloatType, gl.FLOAT], [HalfFloatType, gl.HALF_FLOAT],
        [RedFormat, gl.RED], [RGFormat, gl.RG], [RGBAFormat, gl.RGBA], [DepthFormat, gl.DEPTH_COMPONENT], [DepthStencilFormat, gl.DEPTH_STENCIL],
      ]);
      return { convert: p => known.get(p) ?? null };
    };`,
  'extras/TextureUtils.js': 'export const getByteLength = () => 0; export class TextureUtils {}',
  // Tubes use CatmullRomCurve3; the other curve is the default value of a parameter.
  'extras/curves/Curves.js': `export { CatmullRomCurve3 } from './CatmullRomCurve3.js'; export { QuadraticBezierCurve3 } from './QuadraticBezierCurve3.js';`,
  'renderers/shaders/ShaderLib/background.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/backgroundCube.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/cube.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/distance.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/equirect.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/linedashed.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/meshmatcap.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/meshnormal.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/meshphong.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/meshtoon.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/shadow.glsl.js': noProgram,
  'renderers/shaders/ShaderLib/sprite.glsl.js': noProgram,
  'renderers/shaders/ShaderChunk/lights_phong_fragment.glsl.js': `export default '';`,
  'renderers/shaders/ShaderChunk/lights_phong_pars_fragment.glsl.js': `export default '';`,
  'renderers/shaders/ShaderChunk/lights_toon_fragment.glsl.js': `export default '';`,
  'renderers/shaders/ShaderChunk/lights_toon_pars_fragment.glsl.js': `export default '';`,
  'renderers/shaders/ShaderChunk/gradientmap_pars_fragment.glsl.js': `export default '';`,
};

/** Methods that copy objects. They are dropped from every module that `copied` does not list. */
const copies: ReadonlySet<string> = new Set(['copy', 'clone']);
/** Modules whose objects the client copies: the math types, and the material that blurs shadows. */
const copied: readonly string[] = ['math', 'materials/Material.js', 'materials/ShaderMaterial.js'];

/**
 * The parts of three.js that the build removes: options that keep their initial value, and calls that help only during
 * development.
 */
export const absent: Absent = {
  options: new Set([
    'envMap', 'aoMap', 'lightMap', 'bumpMap', 'normalMap', 'displacementMap', 'emissiveMap', 'roughnessMap', 'metalnessMap', 'alphaMap', 'specularMap', 'gradientMap', 'matcap',
    'clearcoat', 'clearcoatMap', 'clearcoatNormalMap', 'clearcoatRoughnessMap', 'dispersion', 'iridescence', 'iridescenceMap', 'iridescenceThicknessMap',
    'sheen', 'sheenColorMap', 'sheenRoughnessMap', 'transmission', 'transmissionMap', 'thicknessMap', 'specularColorMap', 'specularIntensityMap',
    'retroreflectivity', 'anisotropyMap', 'diffuseRoughnessMap', 'diffuseRoughness', 'morphTargetInfluences', 'morphTexture', 'clipShadows',
    'alphaHash', 'alphaToCoverage', 'dithering', 'logarithmicDepthBuffer', 'reversedDepthBuffer', 'fog', 'environment', 'overrideMaterial', 'wireframe',
  ]),
  calls: new Set(['warn', 'warnOnce']),
};

/** Shader features that no material in the client enables. */
export const unusedDefines: ReadonlySet<string> = new Set([
  'USE_ANISOTROPY', 'USE_CLEARCOAT', 'USE_TANGENT', 'USE_SHEEN', 'USE_REVERSED_DEPTH_BUFFER', 'USE_IRIDESCENCE', 'USE_ENVMAP', 'USE_BUMPMAP',
  'USE_ALPHAMAP', 'USE_RETROREFLECTION', 'USE_CLEARCOAT_NORMALMAP', 'ENVMAP_TYPE_PMREM', 'ENVMAP_TYPE_CUBE', 'USE_NORMALMAP', 'USE_DIFFUSE_ROUGHNESS',
  'USE_TRANSMISSION', 'USE_LIGHTMAP', 'USE_DISPLACEMENTMAP', 'USE_TRANSMISSIONMAP', 'USE_THICKNESSMAP', 'USE_SPECULAR_INTENSITYMAP', 'USE_SPECULAR_COLORMAP',
  'USE_SPECULARMAP', 'USE_SHEEN_ROUGHNESSMAP', 'USE_SHEEN_COLORMAP', 'USE_ROUGHNESSMAP', 'USE_NORMALMAP_TANGENTSPACE', 'USE_NORMALMAP_OBJECTSPACE', 'USE_METALNESSMAP',
  'USE_IRIDESCENCE_THICKNESSMAP', 'USE_IRIDESCENCEMAP', 'USE_EMISSIVEMAP', 'USE_DIFFUSE_ROUGHNESSMAP', 'USE_CLEARCOAT_ROUGHNESSMAP', 'USE_CLEARCOATMAP',
  'USE_BATCHING', 'USE_BATCHING_COLOR', 'USE_AOMAP', 'USE_ANISOTROPYMAP', 'USE_SKINNING', 'USE_POINTS_UV', 'USE_LOGARITHMIC_DEPTH_BUFFER', 'USE_FOG', 'USE_ALPHAHASH',
  'USE_DISPERSION', 'IOR', 'USE_SPECULAR', 'USE_MORPHTARGETS', 'USE_MORPHNORMALS', 'USE_MORPHCOLORS', 'USE_INSTANCING_MORPH', 'USE_GRADIENTMAP', 'USE_LIGHT_PROBES',
  'FOG_EXP2', 'DITHERING', 'DECODE_VIDEO_TEXTURE', 'DECODE_VIDEO_TEXTURE_EMISSIVE', 'ALPHA_TO_COVERAGE', 'USE_PACKED_NORMALMAP', 'USE_MATCAP',
  'PHYSICAL', 'PHONG', 'DISTANCE', 'GL_ANGLE_multi_draw', 'SHADOWMAP_TYPE_BASIC', 'RE_Direct_RectArea',
]);

/** Shader constants that count lights and other features that the room does not have. */
export const unusedCounts: ReadonlySet<string> = new Set([
  'NUM_CLIPPING_PLANES', 'NUM_LIGHT_PROBE_GRIDS', 'NUM_POINT_LIGHT_SHADOWS', 'NUM_RECT_AREA_LIGHTS', 'NUM_SPOT_LIGHTS',
  'NUM_SPOT_LIGHT_COORDS', 'NUM_SPOT_LIGHT_MAPS', 'NUM_SPOT_LIGHT_SHADOWS', 'NUM_SUN_LIGHTS', 'NUM_SUN_LIGHT_SHADOWS',
]);

/** Shader functions that are never called, because the renderer uses only one tone mapping. */
const unusedFunctions = ['ReinhardToneMapping', 'CineonToneMapping', 'RRTAndODTFit', 'ACESFilmicToneMapping', 'AgXToneMapping', 'agxDefaultContrastApprox', 'CustomToneMapping'];

/** Programs of the shader library that belong to stubbed materials. */
const unusedPrograms = ['phong', 'toon', 'matcap', 'dashed', 'normal', 'sprite', 'background', 'backgroundCube', 'cube', 'equirect', 'distance', 'shadow'];

/** Drops the names of CSS colours: the client's colours are all written as #rrggbb. */
function dropColorNames(code: string): string {
  const slim = code.replace(/const _colorKeywords = \{[^}]*\}/, 'const _colorKeywords = {}');
  if (slim === code) throw new Error('three has no table of colour names: update three_slim.ts');
  return slim;
}

function dropPrograms(code: string): string {
  for (const name of unusedPrograms) {
    const start = new RegExp(`\\n\\t${name}: \\{\\n`).exec(code);
    if (!start) throw new Error(`three has no shader program "${name}": update the list in three_slim.ts`);
    const end = code.indexOf('\n\t}', start.index);
    code = code.slice(0, start.index) + code.slice(end + 3).replace(/^,/, '');
  }
  return code;
}

/** Returns a module's code with every shader in it shrunk. */
export function slimShaders(code: string): string {
  return code.replace(/`([^`]*)`/g, (_, text: string) => '`' + slimShader(text) + '`');
}

/** Returns a shader without comments, indentation or features that are never enabled. */
export function slimShader(text: string): string {
  let bare = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
  for (const name of unusedFunctions) bare = dropFunction(bare, name);
  const lines = dropBranches(bare.split('\n').map(l => l.replace(/\s+/g, ' ').trim()).filter(l => l !== ''));
  // Each directive needs its own line; the rest is joined.
  let out = '';
  for (const line of lines) {
    if (line.startsWith('#')) out += (out === '' || out.endsWith('\n') ? '' : '\n') + line + '\n';
    else out += (out === '' || out.endsWith('\n') ? '' : ' ') + line;
  }
  return out.split('\n').map(l => (l.startsWith('#') ? l : tighten(l))).join('\n');
}

const tighten = (line: string): string => line.replace(/ ?([{}()[\];,=*/<>!&|?:]) ?/g, '$1').replace(/(?<![+-]) ([+-]) (?![+-])/g, '$1');

function dropFunction(text: string, name: string): string {
  const head = new RegExp(`\\bvec3 ${name}\\s*\\([^)]*\\)\\s*\\{`).exec(text);
  if (!head) return text;
  let at = head.index + head[0].length;
  for (let depth = 1; depth > 0; at++) depth += text[at] === '{' ? 1 : text[at] === '}' ? -1 : 0;
  return text.slice(0, head.index) + text.slice(at);
}

interface Branch { directive: string; lines: string[] }

/**
 * Returns the lines without the branches whose conditions are always false, and without the conditions that are
 * always true.
 */
function dropBranches(lines: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i]!.startsWith('#if')) { out.push(lines[i]!); continue; }
    const branches: Branch[] = [{ directive: lines[i]!, lines: [] }];
    let depth = 1;
    for (i++; depth > 0; i++) {
      const line = lines[i]!;
      if (line.startsWith('#if')) depth++;
      else if (line.startsWith('#endif')) depth--;
      if (depth === 1 && line.startsWith('#el')) branches.push({ directive: line, lines: [] });
      else if (depth > 0) branches.at(-1)!.lines.push(line);
    }
    i--;
    out.push(...rejoin(branches));
  }
  return out;
}

function rejoin(branches: readonly Branch[]): string[] {
  const kept: Branch[] = [];
  for (const b of branches) {
    const known = b.directive.startsWith('#else') ? undefined : value(b.directive);
    if (known === false) continue;
    kept.push(known === true ? { ...b, directive: '#else' } : b);
    if (known === true) break;
  }
  const first = kept[0];
  if (!first) return [];
  if (first.directive.startsWith('#else')) return dropBranches(first.lines);
  return [
    ...kept.flatMap((b, n) => [n === 0 ? b.directive.replace('#elif', '#if') : b.directive, ...dropBranches(b.lines)]),
    '#endif',
  ];
}

/** Returns the value of a directive's condition, or undefined if it depends on the shader program. */
function value(directive: string): boolean | undefined {
  const plain = /^#(ifn?def)\s+(\w+)/.exec(directive);
  if (plain) return unusedDefines.has(plain[2]!) ? plain[1] === 'ifndef' : undefined;
  const any = directive.replace(/^#(el)?if\s+/, '').split('||').map(part => part.split('&&').map(term));
  const parts = any.map(all => (all.includes(false) ? false : all.includes(undefined) ? undefined : true));
  return parts.includes(true) ? true : parts.includes(undefined) ? undefined : false;
}

function term(text: string): boolean | undefined {
  const t = text.trim(), macro = /^(!?)\s*defined\s*\(?\s*(\w+)\s*\)?$/.exec(t), count = /^\(?\s*(\w+) > 0\s*\)?$/.exec(t);
  if (macro && unusedDefines.has(macro[2]!)) return macro[1] === '!';
  return count && unusedCounts.has(count[1]!) ? false : undefined;
}
