import * as T from 'three';
import { light } from '../look/palette.ts';
import type { Side } from './batch.ts';
import type { Kit } from './kit.ts';
import type { Stage } from './layer.ts';

const vertex = /* glsl */ `
attribute float size;
attribute float lit;
uniform float scale;
varying float vLit;
void main() {
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  vLit = lit;
  gl_Position = projectionMatrix * at;
  gl_PointSize = size * scale / -at.z;
}`;
const fragment = /* glsl */ `
uniform vec3 tint;
uniform float opacity;
varying float vLit;
void main() {
  float near = max(0.0, 1.0 - 2.0 * length(gl_PointCoord - 0.5));
  gl_FragColor = vec4(tint * (opacity * vLit * (near * near * 0.7 + pow(near, 6.0) * 0.5)), 0.0);
}`;

const order: readonly Side[] = ['left', 'room', 'back'];

/** Draws a soft light around every lamp, all in one draw call. */
export function createGlow(stage: Stage, kit: Pick<Kit, 'glows'>) {
  const glows = order.flatMap(side => kit.glows.filter(g => g.side === side)), n = glows.length;
  const g = new T.BufferGeometry(), lit = new T.Float32BufferAttribute(glows.map(x => (x.size < 0.5 ? 0.75 : 1)), 1), full = lit.array.slice();
  g.setAttribute('position', new T.Float32BufferAttribute(glows.flatMap(x => x.pos.toArray()), 3));
  g.setAttribute('size', new T.Float32BufferAttribute(glows.map(x => x.size), 1));
  g.setAttribute('lit', lit);
  const material = new T.ShaderMaterial({
    vertexShader: vertex, fragmentShader: fragment, transparent: true, depthWrite: false, toneMapped: false,
    uniforms: { tint: { value: new T.Color(light.glow).convertLinearToSRGB() }, opacity: { value: 0 }, scale: { value: 1 } },
    // Add the light but keep the canvas's alpha; otherwise lamps would hide the page behind the room.
    blending: T.CustomBlending, blendSrc: T.OneFactor, blendDst: T.OneFactor, blendSrcAlpha: T.ZeroFactor, blendDstAlpha: T.OneFactor,
  });
  const points = new T.Points(g, material), count = (side: Side) => glows.filter(x => x.side === side).length, left = count('left'), back = count('back');
  points.renderOrder = 7;
  points.frustumCulled = false;
  const buffer = new T.Vector2();
  return {
    points,
    opacity(v: number) { material.uniforms.opacity!.value = v; },
    setLamp(poiId: string, on: boolean) {
      glows.forEach((x, i) => { if (x.poi === poiId) lit.setX(i, on ? full[i]! : 0); });
      lit.needsUpdate = true;
    },
    update() {
      const { camera, hidden, renderer } = stage;
      material.uniforms.scale!.value = renderer.getDrawingBufferSize(buffer).y / (2 * Math.tan((camera.fov * Math.PI) / 360));
      g.setDrawRange(hidden.left ? left : 0, n - (hidden.left ? left : 0) - (hidden.back ? back : 0));
    },
  };
}
