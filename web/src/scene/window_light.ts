import * as T from 'three';
import type { SceneRoom, SceneWindow } from '../contracts/protocol.gen.ts';
import { evening, light } from '../look/palette.ts';

export interface WindowLight {
  readonly mesh: T.Mesh;
  /** Projects the panes onto the floor; `sun` is the direction of the sun, and `dusk` the share of evening light. */
  shine(sun: T.Vector3, strength: number, dusk: number): void;
  dispose(): void;
}

/** The height of the light in metres, just above the contact shadow. */
const height = 0.062;
/** The corners of a window, as fractions along the wall and from sill to lintel. */
const corners = [[0, 0], [1, 0], [1, 1], [0, 1]] as const;

const vertexShader = `
varying vec2 vPane;
void main() {
  vPane = uv;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.);
}`;

// Four panes behind a cross; their edges are softer the farther the light has travelled.
const fragmentShader = `
uniform vec3 tint;
uniform float strength;
varying vec2 vPane;
float pane(vec2 from, vec2 to, float soft) {
  vec2 q = smoothstep(from - soft, from + soft, vPane) * smoothstep(to + soft, to - soft, vPane);
  return q.x * q.y;
}
void main() {
  float soft = .022 + .03 * vPane.y;
  float lower = pane(vec2(.06, .06), vec2(.475, .58), soft) + pane(vec2(.525, .06), vec2(.94, .58), soft);
  float upper = pane(vec2(.06, .65), vec2(.475, .94), soft) + pane(vec2(.525, .65), vec2(.94, .94), soft);
  gl_FragColor = vec4(tint * (lower + upper) * strength * (1. - .45 * vPane.y), 0.);
}`;

/**
 * Draws the light that falls through the windows in the rooms' left walls onto their floors, as one additive mesh.
 * Each room is centred at its x, z.
 */
export function createWindowLight(rooms: readonly { room: SceneRoom; x: number; z: number }[]): WindowLight {
  const windows = rooms.flatMap(at => at.room.windows.filter(w => w.wall === 'left').map(pane => ({ ...at, pane })));
  const geometry = new T.BufferGeometry(), position = new T.Float32BufferAttribute(windows.length * 12, 3);
  geometry.setAttribute('position', position);
  geometry.setAttribute('uv', new T.Float32BufferAttribute(windows.flatMap(() => corners.flat()), 2));
  geometry.setIndex(windows.flatMap((_, n) => [0, 2, 1, 0, 3, 2].map(i => n * 4 + i)));
  // The canvas is transparent, so the light adds colour and leaves the opacity alone.
  const material = new T.ShaderMaterial({
    uniforms: { tint: { value: new T.Color() }, strength: { value: 0 } }, vertexShader, fragmentShader,
    transparent: true, depthWrite: false, side: T.DoubleSide, polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -4,
    blending: T.CustomBlending, blendSrc: T.OneFactor, blendDst: T.OneFactor, blendSrcAlpha: T.ZeroFactor, blendDstAlpha: T.OneFactor,
  });
  const mesh = new T.Mesh(geometry, material), noon = new T.Color(light.pane), late = new T.Color(evening.beam);
  mesh.frustumCulled = false;
  mesh.renderOrder = 4;
  return {
    mesh,
    shine(sun, strength, dusk) {
      material.uniforms.strength!.value = strength;
      (material.uniforms.tint!.value as T.Color).copy(noon).lerp(late, dusk).convertLinearToSRGB();
      windows.forEach(({ room, x, z, pane }, n) => corners.forEach(([u, v], c) => {
        const [dx, y, dz] = landing(room, pane, u, v, sun);
        position.setXYZ(n * 4 + c, x + dx, y, z + dz);
      }));
      position.needsUpdate = true;
    },
    dispose() {
      geometry.dispose();
      material.dispose();
    },
  };
}

/** Returns where light from a point in a window meets the floor, clamped to the edges of the floor. */
function landing({ w, d }: SceneRoom, pane: SceneWindow, u: number, v: number, sun: T.Vector3): [number, number, number] {
  const fall = (pane.y0 + v * (pane.y1 - pane.y0)) / sun.y;
  const x = -w / 2 - sun.x * fall, z = pane.centre + (u - 0.5) * pane.w - sun.z * fall;
  return [Math.min(w / 2, x), height, Math.min(d / 2, Math.max(-d / 2, z))];
}
