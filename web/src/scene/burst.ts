import { Color, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, OctahedronGeometry, ShaderMaterial } from 'three';

const slots = 6;
const each = 14;
/** How long a burst lasts, in seconds. */
const life = 1.3;

/**
 * Short bursts of sparkles, for example for an approval or a trophy. If all slots are in use, a new burst replaces
 * the oldest.
 */
export class Bursts {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  readonly #time = { value: 0 };
  readonly #origin = new InstancedBufferAttribute(new Float32Array(slots * each * 4).fill(-1e3), 4);
  readonly #way = new InstancedBufferAttribute(new Float32Array(slots * each * 3), 3);
  readonly #tint = new InstancedBufferAttribute(new Float32Array(slots * each * 3), 3);
  #next = 0;
  #until = -Infinity;

  constructor() {
    const g = new InstancedBufferGeometry(), o = new OctahedronGeometry(0.034);
    g.setAttribute('position', o.getAttribute('position'));
    g.setAttribute('iOrigin', this.#origin);
    g.setAttribute('iWay', this.#way);
    g.setAttribute('iTint', this.#tint);
    g.instanceCount = slots * each;
    this.mesh = new Mesh(g, new ShaderMaterial({
      uniforms: { uTime: this.#time },
      transparent: true, depthWrite: false,
      vertexShader: `attribute vec4 iOrigin; attribute vec3 iWay; attribute vec3 iTint; uniform float uTime; varying vec3 vTint;
        void main(){ float age=(uTime-iOrigin.w)/${life.toFixed(2)}; float on=step(0.,age)*step(age,1.); vTint=iTint;
          vec3 p=iOrigin.xyz+iWay*(1.-(1.-age)*(1.-age))-vec3(0.,age*age*.35,0.)+position*(1.-age)*on;
          gl_Position=on>.5?projectionMatrix*modelViewMatrix*vec4(p,1.):vec4(2.,2.,2.,1.); }`,
      fragmentShader: `varying vec3 vTint; void main(){ gl_FragColor=vec4(vTint,1.);
        #include <colorspace_fragment>
      }`,
    }));
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  fire(x: number, y: number, z: number, colors: readonly string[], at: number): void {
    const c = new Color(), base = this.#next * each;
    this.#next = (this.#next + 1) % slots;
    for (let i = 0; i < each; i++) {
      const a = i * 2.399963, lift = 0.25 + 0.5 * ((i * 0.618) % 1), r = 0.28 + 0.14 * ((i * 0.377) % 1);
      this.#origin.setXYZW(base + i, x, y, z, at);
      this.#way.setXYZ(base + i, Math.cos(a) * r, lift, Math.sin(a) * r);
      c.set(colors[i % colors.length]!);
      this.#tint.setXYZ(base + i, c.r, c.g, c.b);
    }
    this.#origin.needsUpdate = this.#way.needsUpdate = this.#tint.needsUpdate = true;
    this.#until = Math.max(this.#until, at + life);
  }

  /** Advances to a time in seconds, on the same clock as fire(); returns true while sparkles are flying. */
  update(time: number): boolean {
    this.#time.value = time;
    return this.mesh.visible = time < this.#until;
  }

  dispose(): void { this.mesh.geometry.dispose(); this.mesh.material.dispose(); }
}
