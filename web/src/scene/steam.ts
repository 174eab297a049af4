import { Group, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, PlaneGeometry, ShaderMaterial } from 'three';
import type { Kit } from './kit.ts';
import type { Layer, Stage } from './layer.ts';

/** The number of puffs over each warm cup. */
const each = 5;

/**
 * Draws steam over warm cups, in one draw call. The steam never requests a frame, and is hidden on weak machines and
 * with reduced motion.
 */
export function createSteam(stage: Stage, kit: Kit): Layer {
  const group = new Group(), time = { value: 0 }, n = kit.warm.length * each, g = new InstancedBufferGeometry(), puff = new PlaneGeometry(1, 1), from = new Float32Array(n * 4);
  kit.warm.forEach((p, i) => { for (let k = 0; k < each; k++) from.set([p.x, p.y, p.z, k / each + i * 0.13], (i * each + k) * 4); });
  g.setAttribute('position', puff.getAttribute('position'));
  g.setAttribute('uv', puff.getAttribute('uv'));
  g.setIndex(puff.index);
  g.setAttribute('iFrom', new InstancedBufferAttribute(from, 4));
  g.instanceCount = n;
  const mesh = new Mesh(g, new ShaderMaterial({
    uniforms: { uTime: time }, transparent: true, depthWrite: false,
    vertexShader: `attribute vec4 iFrom; uniform float uTime; varying vec2 vUv; varying float vA;
      void main(){ float t=fract(uTime*.22+iFrom.w); vUv=uv; vA=smoothstep(0.,.2,t)*(1.-t); vec3 r=vec3(viewMatrix[0][0],viewMatrix[1][0],viewMatrix[2][0]), u=vec3(viewMatrix[0][1],viewMatrix[1][1],viewMatrix[2][1]);
        vec3 p=iFrom.xyz+vec3(sin(t*7.+iFrom.w*20.)*.045,t*.5,cos(t*5.+iFrom.w*9.)*.03); float s=.09+t*.18; gl_Position=projectionMatrix*modelViewMatrix*vec4(p+(r*position.x+u*position.y)*s,1.); }`,
    fragmentShader: 'varying vec2 vUv; varying float vA; void main(){ float d=clamp(1.-2.*length(vUv-.5),0.,1.); gl_FragColor=vec4(1.,.985,.95,d*vA*.8); }',
  }));
  mesh.frustumCulled = false;
  mesh.renderOrder = 5;
  group.add(mesh);
  let began = 0;
  return {
    group,
    update(now) {
      began ||= now;
      time.value = (now - began) / 1000;
      mesh.visible = n > 0 && !stage.still && stage.quality.tier === 'high' && stage.quality.step === 0;
      return false;
    },
    dispose() { g.dispose(); mesh.material.dispose(); },
  };
}
