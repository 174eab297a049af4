import * as T from 'three';
import type { DirectLight, SceneWindow } from '../contracts/protocol.gen.ts';
import { evening, light as drawn } from '../look/palette.ts';
import type { Kit } from './kit.ts';
import { random } from './kit.ts';
import { createGlow } from './glow.ts';
import type { Layer, Stage } from './layer.ts';
import { duskOf, mix } from './night.ts';
import { createWindowLight } from './window_light.ts';

/** The sun's light through windows: the sun's direction, how strong the light is, and the share of evening light. */
export interface Beam { readonly sun: T.Vector3; strength: number; dusk: number; /** Incremented with every change. */ version: number }

export interface LightLayer extends Layer {
  readonly beam: Beam;
  /** Sets whether lamplight comes from volumes and the map of the campus instead of from point lights. */
  setBakedLamps(on: boolean): void;
  readonly sun: T.DirectionalLight;
  /** Moves the shadows to a circle around the point x, z; null returns them to the house. */
  setShadowArea(area: { x: number; z: number; reach: number } | null): void;
  setLamp(poiId: string, on: boolean): void;
}

/** The maximum number of lamps at night: each one adds work for every pixel. */
const lampsIn = { high: 5, low: 2, test: 0 } as const;

/** How strong baked lamps are, compared with point lights. */
const bakedLight = 1.2;

/** How much light falls through the windows onto the floor. */
const paneLight = { day: 0.2, night: 0.03, evening: 0.34 } as const;
/** How the evening changes the manifest's light: a low, strong sun, and a sky that is still bright. */
const late = { sunHeight: 0.72, sun: 1, sky: 0.9, fill: 0.9 } as const;

/** Creates the sun, sky and fill lights, the lamps and their glow, the light from the windows, and dust. */
export function createLight(stage: Stage, kit: Kit): LightLayer {
  const { day, night } = stage.manifest.lighting, group = new T.Group();
  const hemi = new T.HemisphereLight(), sun = new T.DirectionalLight(), fill = new T.DirectionalLight();
  shadow(sun, stage);
  const lamps = (night.lamps ?? []).slice(0, lampsIn[stage.quality.tier]).map(l => {
    const p = new T.PointLight(l.color, 0, l.distance, l.decay);
    p.position.fromArray(l.pos);
    return { light: p, full: l.intensity };
  });
  const shafts = createShafts(stage.manifest.room.windows.filter(w => w.wall === 'left'), stage), motes = createMotes(stage), glow = createGlow(stage, kit), panes = createWindowLight([{ room: stage.manifest.room, x: 0, z: 0 }]);
  group.add(hemi, sun, sun.target, fill, shafts, panes.mesh, motes, glow.points, ...lamps.map(l => l.light));
  const a = new T.Color(), b = new T.Color(), beam: Beam = { sun: new T.Vector3(), strength: 0, dusk: 0, version: 0 };
  let baked = false;
  const blend = (light: T.DirectionalLight, from: DirectLight, to: DirectLight, t: number) => {
    light.color.copy(a.set(from.color)).lerp(b.set(to.color), t);
    light.intensity = mix(from.intensity, to.intensity, t);
    light.position.set(mix(from.pos[0], to.pos[0], t), mix(from.pos[1], to.pos[1], t), mix(from.pos[2], to.pos[2], t)).add(light.target.position);
  };
  const toEvening = (dusk: number) => {
    const blendTo = (color: T.Color, to: string) => color.lerp(a.set(to), dusk);
    blendTo(sun.color, evening.sun);
    blendTo(fill.color, evening.fill);
    blendTo(hemi.color, evening.sky);
    blendTo(hemi.groundColor, evening.ground);
    sun.intensity = mix(sun.intensity, day.sun.intensity * late.sun, dusk);
    fill.intensity = mix(fill.intensity, day.fill.intensity * late.fill, dusk);
    hemi.intensity = mix(hemi.intensity, day.hemisphere.intensity * late.sky, dusk);
    sun.position.y *= mix(1, late.sunHeight, dusk);
  };
  // Sky and fill lights make up for missing lamps; otherwise the room would be too dark at night.
  const missing = 1 - lamps.length / Math.max(1, night.lamps?.length ?? 0);
  let shown = -1;
  const apply = (t: number) => {
    const dusk = duskOf(t);
    hemi.color.copy(a.set(day.hemisphere.sky)).lerp(b.set(night.hemisphere.sky), t);
    hemi.groundColor.copy(a.set(day.hemisphere.ground)).lerp(b.set(night.hemisphere.ground), t);
    hemi.intensity = mix(day.hemisphere.intensity, night.hemisphere.intensity, t);
    blend(sun, day.sun, night.sun, t);
    blend(fill, day.fill, night.fill, t);
    hemi.intensity *= 1 + 0.5 * missing * t;
    fill.intensity *= 1 + 2.6 * missing * t;
    toEvening(dusk);
    // Materials of lower quality do not read the volume of the house.
    const lit = t > 0.01 && !(baked && stage.quality.lit === 'standard');
    for (const l of lamps) { l.light.intensity = l.full * t; l.light.visible = lit; }
    stage.lamps.uLamps.value.set(night.lamps?.[0]?.color ?? drawn.glow).multiplyScalar(baked ? t * bakedLight : 0);
    stage.renderer.toneMappingExposure = mix(day.exposure, night.exposure, t);
    beam.sun.subVectors(sun.position, sun.target.position);
    beam.strength = mix(mix(paneLight.day, paneLight.night, t), paneLight.evening, dusk);
    beam.dusk = dusk;
    beam.version++;
    panes.shine(beam.sun, beam.strength, beam.dusk);
    stage.castersMoved();
    (shafts.material as T.MeshBasicMaterial).opacity = 0.5 * (1 - t);
    (motes.material as T.PointsMaterial).opacity = mix(0.55, 0.28, t);
    glow.opacity(mix(day.glow_opacity, night.glow_opacity, t));
  };
  return {
    group, sun, beam, setLamp: glow.setLamp,
    setBakedLamps(on) {
      baked = on;
      shown = -1;
      stage.invalidate();
    },
    setShadowArea(area) {
      const { x = 0, z = 0 } = area ?? {};
      sun.target.position.set(x, 0, z);
      reach(sun, area?.reach ?? reachOf(stage));
      shown = -1;
      stage.castersMoved();
    },
    update(now) {
      if (shown !== stage.night) { apply(stage.night); shown = stage.night; }
      shafts.visible = stage.night < 0.98 && !stage.hidden.left;
      panes.mesh.visible = !stage.hidden.left;
      glow.update();
      if (!stage.still) motes.position.y = Math.sin(now / 4000) * 0.05;
      return false;
    },
    dispose() {
      for (const o of [shafts, motes, glow.points]) { o.geometry.dispose(); (o.material as T.Material).dispose(); }
      panes.dispose();
      sun.dispose();
    },
  };
}

function shadow(sun: T.DirectionalLight, stage: Stage): void {
  const q = stage.quality;
  sun.castShadow = q.shadows !== 'none';
  sun.shadow.mapSize.set(q.shadowSize || 512, q.shadowSize || 512);
  reach(sun, reachOf(stage));
  sun.shadow.bias = -0.0006;
  sun.shadow.radius = q.shadows === 'vsm' ? 4 : 2.5;
  sun.shadow.blurSamples = 12;
  sun.shadow.intensity = 0.92;
}

const reachOf = (stage: Stage): number => Math.max(stage.manifest.room.w, stage.manifest.room.d) / 2;

/** Sets the area where the sun casts shadows, in metres around its target. */
function reach(sun: T.DirectionalLight, r: number): void {
  const { camera } = sun.shadow, far = Math.max(0, r - 6.7);
  // Larger texels need a larger offset, or surfaces shade themselves.
  sun.shadow.normalBias = 0.025 * Math.max(1, r / 10);
  Object.assign(camera, { left: -r - 2.3, right: r + 2.3, top: r + 0.3, bottom: -r - 0.3, near: 4 - far, far: 36 + far });
  camera.updateProjectionMatrix();
}

/** Draws light shafts through the windows, faint so that their hard edges do not show. */
function createShafts(windows: SceneWindow[], stage: Stage): T.Mesh {
  const dir = new T.Vector3(...stage.manifest.lighting.day.sun.pos).normalize().negate(), x = -stage.manifest.room.w / 2 + 0.08;
  const pos: number[] = [], col: number[] = [], idx: number[] = [], tint = new T.Color(drawn.shaft), long = 3.6, bright = 0.024;
  for (const w of windows) {
    const at = (dz: number, y: number) => new T.Vector3(x, y, w.centre + dz);
    const ring = [at(-w.w / 2, w.y0), at(w.w / 2, w.y0), at(w.w / 2, w.y1), at(-w.w / 2, w.y1)];
    const end = (v: T.Vector3) => v.clone().addScaledVector(dir, Math.min(long, v.y / -dir.y));
    ring.forEach((p, i) => {
      const q = ring[(i + 1) % 4]!, base = pos.length / 3;
      for (const v of [p, q, end(q), end(p)]) pos.push(v.x, v.y, v.z);
      for (const k of [bright, bright, 0, 0]) col.push(tint.r * k, tint.g * k, tint.b * k);
      idx.push(base, base + 1, base + 2, base, base + 2, base + 3);
    });
  }
  const g = new T.BufferGeometry();
  g.setAttribute('position', new T.Float32BufferAttribute(pos, 3));
  g.setAttribute('color', new T.Float32BufferAttribute(col, 3));
  g.setIndex(idx);
  const mesh = new T.Mesh(g, new T.MeshBasicMaterial({ vertexColors: true, blending: T.AdditiveBlending, transparent: true, depthWrite: false, side: T.DoubleSide, opacity: 0.5 }));
  mesh.renderOrder = 5;
  return mesh;
}

/** Draws dust in the sunlight near the windows. It drifts only in frames that something else requests. */
function createMotes(stage: Stage): T.Points {
  const n = Math.min(400, stage.manifest.ambience.motes ?? 0), { w, d } = stage.manifest.room, roll = random(5), pos = new Float32Array(n * 3);
  for (let i = 0; i < n * 3; i += 3) { pos[i] = -w / 2 + 0.3 + roll() * w * 0.45; pos[i + 1] = 0.3 + roll() * 2.3; pos[i + 2] = (roll() - 0.5) * (d - 0.6); }
  const g = new T.BufferGeometry();
  g.setAttribute('position', new T.BufferAttribute(pos, 3));
  const points = new T.Points(g, new T.PointsMaterial({ color: drawn.mote, size: 0.035, transparent: true, opacity: 0.55, depthWrite: false }));
  points.renderOrder = 6;
  return points;
}
