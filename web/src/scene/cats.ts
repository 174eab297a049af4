import { effect } from '@preact/signals';
import { Color, Group, InstancedBufferAttribute, InstancedBufferGeometry, InstancedMesh, Matrix4, Mesh, PlaneGeometry, type Raycaster, ShaderMaterial, Sphere, Vector3 } from 'three';
import type { SceneManifest, SceneObject } from '../contracts/protocol.gen.ts';
import { catColors } from '../look/marks.ts';
import { lawnDepth, type Placed } from '../world/campus.ts';
import { catGeometry } from './cats_shape.ts';
import type { RoomDeps } from './deps.ts';
import { Item } from './furniture/item.ts';
import { wallOf } from './kit.ts';
import type { Hit, Layer, Stage } from './layer.ts';

/** How long a cat enjoys being petted, in ms. */
export const purrFor = 4200;
/** The number of hearts over a petted cat. */
const hearts = 7;
/** The radius of the area around a cat that reacts to the pointer, in metres. */
const reach = 0.3;
/** The maximum number of cats that are drawn. */
const maxCats = 32;

/** A cat on the campus and its position. */
interface Cat { id: string; object: SceneObject; manifest: SceneManifest; x: number; y: number; z: number; indoors: boolean }

/** Returns the cats of all modules. */
export function catsOf(placed: readonly Placed[]): Cat[] {
  return placed.flatMap(({ id, manifest, x, z }) => manifest.objects.filter(o => o.kind === 'cat').map(object => ({
    id: object.object_id, object, manifest, x: object.pos[0] + x, y: object.pos[1] - (id === 'garden' ? lawnDepth : 0), z: object.pos[2] + z, indoors: id === '',
  }))).slice(0, maxCats);
}

/** Returns how much a cat that was petted `age` ms ago enjoys it, 0 to 1. */
export function joyAt(age: number): number {
  if (age < 0 || age >= purrFor) return 0;
  return Math.min(1, age / 350, (purrFor - age) / 900);
}

/**
 * Draws the cats, in one draw call. They breathe and flick their tails only in frames that something else requests;
 * a cat that is petted raises its head, purrs and shows hearts. On weak machines, cats neither breathe nor
 * flick their tails, and a petted cat only raises its head and shows hearts; with reduced motion, only the hearts
 * appear.
 */
export function createCats(stage: Stage, deps: RoomDeps): Layer {
  return new Cats(stage, deps);
}

class Cats implements Layer {
  readonly group = new Group();
  readonly #mesh: InstancedMesh;
  readonly #fur = new InstancedBufferAttribute(new Float32Array(maxCats * 3), 3);
  readonly #dark = new InstancedBufferAttribute(new Float32Array(maxCats * 3), 3);
  readonly #joy = new InstancedBufferAttribute(new Float32Array(maxCats), 1);
  readonly #u = { uTime: { value: 0 }, uMotion: { value: 1 } };
  readonly #hearts: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  readonly #heart = { uAt: { value: new Vector3() }, uAge: { value: 0 } };
  readonly #stop: () => void;
  #placed: readonly Placed[] | null = null;
  #cats: Cat[] = [];
  #left = false;
  #pet: { cat: string } | null = null;
  #petted = -Infinity;

  constructor(readonly stage: Stage, readonly deps: RoomDeps) {
    const geometry = catGeometry(stage.quality.fine), material = stage.material({ vertexColors: true, roughness: 0.9 }), u = this.#u;
    for (const [name, attribute] of [['iFur', this.#fur], ['iDark', this.#dark], ['iJoy', this.#joy]] as const) geometry.setAttribute(name, attribute);
    material.onBeforeCompile = shader => {
      Object.assign(shader.uniforms, u);
      shader.vertexShader = `attribute float kind; attribute vec3 iFur; attribute vec3 iDark; attribute float iJoy; uniform float uTime; uniform float uMotion;\n${shader.vertexShader}`
        .replace('#include <begin_vertex>', move)
        .replace('#include <color_vertex>', '#include <color_vertex>\nfloat coat=mod(kind,3.); if(coat>1.5) vColor.rgb*=iDark; else if(coat>.5) vColor.rgb*=iFur;');
    };
    this.#mesh = new InstancedMesh(geometry, material, maxCats);
    Object.assign(this.#mesh, { castShadow: true, receiveShadow: true, frustumCulled: false, count: 0 });
    this.#hearts = heartMesh(this.#heart);
    this.group.add(this.#mesh, this.#hearts);
    this.#pet = deps.focus.petted.peek();
    this.#stop = effect(() => { void deps.focus.petted.value; void deps.store.campus.value; stage.invalidate(); });
  }

  update(now: number): boolean {
    const { stage, deps } = this, placed = deps.store.campus.peek(), { still, quality: { tier } } = stage;
    if (placed !== this.#placed || stage.hidden.left !== this.#left) this.#place(placed);
    this.#u.uTime.value = (now % 3_600_000) / 1000;
    this.#u.uMotion.value = still || tier !== 'high' ? 0 : 1;
    const pet = deps.focus.petted.peek();
    if (pet !== this.#pet) { this.#pet = pet; this.#petted = now; }
    const age = now - this.#petted, at = this.#cats.findIndex(c => c.id === (pet?.cat ?? '')), joy = at < 0 ? 0 : joyAt(age);
    this.#hearts.visible = joy > 0;
    if (this.#joy.array.some(j => j > 0) || joy > 0) {
      this.#joy.array.fill(0);
      if (at >= 0) this.#joy.setX(at, still ? 0 : joy);
      this.#joy.needsUpdate = true;
    }
    if (joy === 0) return false;
    const cat = this.#cats[at]!;
    this.#heart.uAt.value.set(cat.x, cat.y + 0.3, cat.z);
    // With reduced motion the hearts stand still throughout.
    this.#heart.uAge.value = still ? 0.45 : age / purrFor;
    return true;
  }

  pick(ray: Raycaster): Hit[] {
    const ball = new Sphere(), point = new Vector3();
    return this.#cats.flatMap(({ id, x, y, z }) => {
      ball.set(ball.center.set(x, y + 0.14, z), reach);
      return ray.ray.intersectSphere(ball, point) ? [{ ref: { kind: 'cat' as const, id }, distance: ray.ray.origin.distanceTo(point), point: point.clone() }] : [];
    });
  }

  dispose(): void {
    this.#stop();
    for (const m of [this.#mesh, this.#hearts]) m.geometry.dispose();
    (this.#mesh.material as { dispose(): void }).dispose();
    this.#hearts.material.dispose();
    this.#mesh.dispose();
  }

  /** Puts the cats in their places; a cat on the sill is hidden together with its wall. */
  #place(placed: readonly Placed[]): void {
    this.#placed = placed;
    this.#left = this.stage.hidden.left;
    this.#cats = catsOf(placed).filter(c => !(this.#left && c.indoors && c.object.pos[1] > 0.5 && wallOf(c.manifest, c.object) === 'left'));
    const m = new Matrix4(), size = new Matrix4(), c = new Color();
    this.#cats.forEach(({ object, manifest, x, y, z }, i) => {
      const k = object.scale ?? 1, item = new Item(object, manifest), coat = (key: string, other: string) => c.set(manifest.palette[item.paint(key, '')] ?? other);
      this.#mesh.setMatrixAt(i, m.makeRotationY(object.rotation_y).setPosition(x, y, z).multiply(size.makeScale(k, k, k)));
      coat('fur', catColors.fur).toArray(this.#fur.array, i * 3);
      coat('fur_dark', catColors.dark).toArray(this.#dark.array, i * 3);
    });
    this.#mesh.count = this.#cats.length;
    this.#mesh.visible = this.#cats.length > 0;
    this.#mesh.instanceMatrix.needsUpdate = this.#fur.needsUpdate = this.#dark.needsUpdate = true;
    this.stage.castersMoved();
  }
}

// The parts, as in cats_shape.ts: 0 the body, 1 the head, 2 the tail.
const move = /* glsl */`#include <begin_vertex>
{ float part=floor(kind/3.), own=instanceMatrix[3].x*3.7+instanceMatrix[3].z*5.3, t=uTime+own;
  float purr=iJoy*sin(uTime*55.)*.0025*uMotion;
  if(part<.5) transformed.y=.045+(transformed.y-.045)*(1.+sin(t*1.6)*.035*uMotion)+purr;
  else if(part<1.5){ vec3 neck=vec3(.08,.14,.04); vec3 q=transformed-neck; float a=iJoy*.55+sin(t*1.6)*.02*uMotion, tilt=iJoy*sin(uTime*2.4)*.22*uMotion;
    q.xy=mat2(cos(a),sin(a),-sin(a),cos(a))*q.xy; q.yz=mat2(cos(tilt),sin(tilt),-sin(tilt),cos(tilt))*q.yz; transformed=neck+q+vec3(0.,iJoy*.05+purr,0.); }
  else { float flick=smoothstep(.82,.95,sin(t*.5))*sin(t*6.)*.35*uMotion+iJoy*sin(uTime*4.)*.3*uMotion; float a=flick*smoothstep(.0,.2,length(transformed.xz)); transformed.xz=mat2(cos(a),sin(a),-sin(a),cos(a))*transformed.xz; }
}`;

/** Returns hearts that rise from a point, in one draw call. */
function heartMesh(uniforms: Record<'uAt' | 'uAge', { value: unknown }>): Mesh<InstancedBufferGeometry, ShaderMaterial> {
  const g = new InstancedBufferGeometry(), plane = new PlaneGeometry(0.15, 0.15), tint = new Color(catColors.heart).convertLinearToSRGB();
  g.setAttribute('position', plane.getAttribute('position'));
  g.setAttribute('uv', plane.getAttribute('uv'));
  g.setIndex(plane.index);
  g.setAttribute('iNumber', new InstancedBufferAttribute(Float32Array.from({ length: hearts }, (_, i) => i / hearts), 1));
  g.instanceCount = hearts;
  const mesh = new Mesh(g, new ShaderMaterial({
    uniforms: { ...uniforms, uTint: { value: tint } }, transparent: true, depthWrite: false, depthTest: false,
    vertexShader: `attribute float iNumber; uniform vec3 uAt; uniform float uAge; varying vec2 vUv; varying float vA;
      void main(){ float t=fract(uAge*2.+iNumber); vUv=uv*2.-1.; vA=smoothstep(0.,.15,t)*smoothstep(1.,.6,t)*smoothstep(1.,.85,uAge);
        vec3 r=vec3(viewMatrix[0][0],viewMatrix[1][0],viewMatrix[2][0]), u=vec3(viewMatrix[0][1],viewMatrix[1][1],viewMatrix[2][1]);
        vec3 p=uAt+r*sin(iNumber*40.+t*4.)*.17+u*t*.75; gl_Position=projectionMatrix*modelViewMatrix*vec4(p+(r*position.x+u*position.y)*(.6+.5*t),1.); }`,
    fragmentShader: `uniform vec3 uTint; varying vec2 vUv; varying float vA;
      void main(){ vec2 p=vec2(abs(vUv.x),vUv.y+.12); float d=length(vec2(p.x,p.y-.72*sqrt(p.x)*.9)); float a=smoothstep(.78,.66,d)*vA; if(a<.01) discard; gl_FragColor=vec4(uTint,a); }`,
  }));
  mesh.frustumCulled = mesh.visible = false;
  mesh.renderOrder = 9;
  return mesh;
}
