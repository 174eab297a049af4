import { Color, CustomBlending, DoubleSide, Group, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, OneFactor, PlaneGeometry, ShaderMaterial, ZeroFactor } from 'three';
import type { SceneObject } from '../contracts/protocol.gen.ts';
import { finaleColors, finaleLight } from '../look/marks.ts';
import type { Finale } from '../world/finale.ts';
import type { CameraRig } from './camera.ts';
import type { RoomDeps } from './deps.ts';
import { random } from './kit.ts';
import type { Layer, Stage } from './layer.ts';
import { castOf } from './people_cast.ts';
import { hopFor } from './people_stepper.ts';
import { objectOf, toRoom } from './props_place.ts';
import { trophyLands } from './props_trophy.ts';

/**
 * How long the celebration lasts, including the walk to the trophies, and how far into it the first agents arrive
 * and confetti starts, in ms.
 */
const celebrateFor = 9500;
const confettiAfter = 3000;
/** How long a piece of confetti is visible, in seconds. */
const fallFor = (celebrateFor - confettiAfter) / 1000;
/** The camera's distance to the trophies: close enough to read them, far enough to see the crew. */
const glideTo = 21;
const pieces = { high: 1100, low: 320, test: 80 } as const;
/** After one of these DOM events, the camera does not glide back, because the user has taken over. */
const touches = ['pointerdown', 'wheel', 'keydown'] as const;

/**
 * Celebrates a completed project: the crew at the trophies jumps, confetti falls, a lamp lights the wall, and the
 * camera glides to the trophies. When the card with the results is closed, the camera glides back, unless the user has
 * clicked, scrolled or pressed a key in the meantime. With reduced motion, only the trophy and the card are shown.
 */
export function createFinale(stage: Stage, deps: RoomDeps, rig: () => CameraRig): Layer {
  return new FinaleShow(stage, deps, rig);
}

class FinaleShow implements Layer {
  readonly group = new Group();
  readonly #time = { value: 0 };
  #confetti: Mesh<InstancedBufferGeometry, ShaderMaterial> | null = null;
  readonly #light = { value: 0 };
  #wall: Mesh<PlaneGeometry, ShaderMaterial> | null = null;
  #shown: Finale | null = null;
  #began = -Infinity;
  #away = false;
  #shelf: string | undefined;
  readonly #off = new AbortController();

  constructor(readonly stage: Stage, readonly deps: RoomDeps, readonly rig: () => CameraRig) {
    const stay = (e: Event) => { if (!(e.target instanceof Element && e.target.closest('.finale'))) this.#away = false; };
    for (const type of touches) window.addEventListener(type, stay, { signal: this.#off.signal, passive: true, capture: true });
    // A rebuilt room does not celebrate the same project again.
    this.#shown = deps.focus.finale.peek();
  }

  update(now: number): boolean {
    const finale = this.deps.focus.finale.peek();
    if (finale !== this.#shown) this.#begin(finale, now);
    const age = now - this.#began;
    if (age < 0 || age > celebrateFor || !this.#confetti) { if (this.#confetti) this.#clear(); return false; }
    this.#time.value = Math.max(0, age - confettiAfter) / 1000;
    this.#confetti.visible = age >= confettiAfter;
    this.#light.value = wallLight(age);
    if (this.#wall) this.#wall.visible = !this.stage.hidden.back;
    this.#cheer(now);
    return true;
  }

  dispose(): void {
    this.#off.abort();
    this.#clear();
  }

  #begin(finale: Finale | null, now: number): void {
    this.#shown = finale;
    if (!finale && this.#away) this.rig().home();
    this.#away = false;
    if (!finale || this.stage.still) return;
    this.#began = now;
    this.#clear();
    const shelf = this.stage.manifest.pois.find(p => p.type === 'trophy_shelf'), [x, , z] = shelf?.camera.target ?? [0, 0, 0];
    this.#confetti = confetti(pieces[this.stage.quality.tier], x, z + 2, this.#time);
    this.group.add(this.#confetti);
    this.#shelf = shelf?.poi_id;
    const boards = objectOf(this.stage.manifest, 'trophy_shelf');
    if (boards) this.group.add(this.#wall = wash(boards, this.stage.manifest.room.h, this.#light));
    this.#away = shelf !== undefined && !isBusy();
    if (shelf && this.#away) this.rig().frame({ ...shelf.camera, distance: glideTo, target: [x, 0.75, z + 1.2] });
  }

  /** Makes everyone at the trophies jump repeatedly, each to their own rhythm. */
  #cheer(now: number): void {
    if (now - this.#began > celebrateFor - hopFor) return;
    for (const p of castOf(this.stage).people) {
      if (p.moving || !this.#shelf || p.view?.motion?.goal.poi_id !== this.#shelf || now - p.hopAt < hopFor + p.look.seed * 500) continue;
      p.hopAt = now;
      p.settled = false;
    }
  }

  #clear(): void {
    for (const mesh of [this.#confetti, this.#wall]) {
      mesh?.removeFromParent();
      mesh?.geometry.dispose();
      mesh?.material.dispose();
    }
    this.#confetti = this.#wall = null;
  }
}

/** Returns how bright the wall behind the trophies is, 0 to 1, when the celebration is `age` ms old. */
export function wallLight(age: number): number {
  return Math.max(0, Math.min(1, (age - trophyLands) / 900, (celebrateFor - age) / 1200));
}

/** Returns a mesh for the glow that a lamp above the trophies casts on the wall behind them. */
function wash(shelf: SceneObject, high: number, light: { value: number }): Mesh<PlaneGeometry, ShaderMaterial> {
  const w = (shelf.size?.[0] ?? 2.3) + 1.6, mesh = new Mesh(new PlaneGeometry(w, high - 0.3), new ShaderMaterial({
    uniforms: { uLight: light, uTint: { value: new Color(finaleLight).convertLinearToSRGB() } }, transparent: true, depthWrite: false, toneMapped: false, polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -4,
    // Add the light but keep the canvas's alpha, as glow.ts does.
    blending: CustomBlending, blendSrc: OneFactor, blendDst: OneFactor, blendSrcAlpha: ZeroFactor, blendDstAlpha: OneFactor,
    vertexShader: 'varying vec2 vUv; void main(){ vUv=uv; gl_Position=projectionMatrix*modelViewMatrix*vec4(position,1.); }',
    fragmentShader: `uniform vec3 uTint; uniform float uLight; varying vec2 vUv; void main(){ float d=1.-vUv.y, x=abs(vUv.x-.5)*2., edge=.45+.55*pow(d,.6);
      gl_FragColor=vec4(uTint*smoothstep(edge,edge*.2,x)*exp(-1.7*d)*smoothstep(0.,.05,d)*smoothstep(1.,.6,d)*uLight*.6,0.); }`,
  }));
  mesh.position.set(...toRoom(shelf, 0, high / 2 + 0.1, 0.02));
  mesh.rotation.y = shelf.rotation_y;
  mesh.renderOrder = 4;
  return mesh;
}

/** Reports whether the user is typing or has a dialog open, in which case the camera stays where it is. */
export function isBusy(page: Document = document): boolean {
  const at = page.activeElement as HTMLInputElement | null;
  return page.querySelector('dialog[open]') !== null || (at?.matches('input, textarea, select') === true && at.value !== '');
}

function confetti(count: number, x: number, z: number, time: { value: number }): Mesh<InstancedBufferGeometry, ShaderMaterial> {
  const roll = random(42), g = new InstancedBufferGeometry(), piece = new PlaneGeometry(0.085, 0.05), colors = finaleColors.map(c => new Color(c));
  g.setAttribute('position', piece.getAttribute('position'));
  g.setIndex(piece.index);
  const from = new Float32Array(count * 4), tint = new Float32Array(count * 3);
  for (let i = 0; i < count; i++) {
    const r = Math.sqrt(roll()) * 5.4, a = roll() * Math.PI * 2;
    from.set([x + Math.cos(a) * r, 2.6 + roll() * 3.6, z + Math.sin(a) * r, roll()], i * 4);
    colors[Math.floor(roll() * colors.length)]!.toArray(tint, i * 3);
  }
  g.setAttribute('iFrom', new InstancedBufferAttribute(from, 4));
  g.setAttribute('iTint', new InstancedBufferAttribute(tint, 3));
  g.instanceCount = count;
  const mesh = new Mesh(g, new ShaderMaterial({
    uniforms: { uTime: time }, side: DoubleSide,
    vertexShader: `attribute vec4 iFrom; attribute vec3 iTint; uniform float uTime; varying vec3 vTint; varying float vL;
      void main(){ float s=iFrom.w, t=uTime*(.5+s)*2.+s*40., left=smoothstep(${fallFor.toFixed(1)},${(fallFor - 1).toFixed(1)},uTime);
        vec3 a=normalize(vec3(sin(s*91.),cos(s*57.),sin(s*33.+1.))); float c=cos(t*2.), n=sin(t*2.); vec3 p=position*(.8+s*.7)*left;
        p=p*c+cross(a,p)*n+a*dot(a,p)*(1.-c); vec3 k=vec3(0.,0.,1.)*c+cross(a,vec3(0.,0.,1.))*n+a*a.z*(1.-c); vL=.72+.4*abs(dot(normalize(k),normalize(vec3(-.5,.8,.4))));
        vec3 f=iFrom.xyz; f.y=max(.07,f.y-uTime*(.45+s*.35)); float air=step(.08,f.y); f.x+=sin(t+s*20.)*.18*air; f.z+=cos(t*.8+s*9.)*.18*air;
        vTint=iTint; gl_Position=projectionMatrix*modelViewMatrix*vec4(f+p,1.); }`,
    fragmentShader: `varying vec3 vTint; varying float vL; void main(){ gl_FragColor=vec4(vTint*vL,1.);
      #include <colorspace_fragment>
    }`,
  }));
  mesh.frustumCulled = false;
  mesh.renderOrder = 8;
  return mesh;
}
