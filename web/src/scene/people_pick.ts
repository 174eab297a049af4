import { type PerspectiveCamera, type Ray, Vector3 } from 'three';
import type { Cast, Person } from './people_cast.ts';
import { At, STRIDE } from './rig.ts';

/** The capsule that the pointer must hit to pick a person: its radius and its height, in metres. */
const radius = 0.3;
const top = 1.22;
/** The minimum radius of the pick capsule on the page, in CSS pixels. */
const minRadius = 13;

const from = new Vector3(), to = new Vector3(), onRay = new Vector3(), onBody = new Vector3();

/** Returns how many metres a CSS pixel covers at a distance from the camera. */
export function metresPerPixel(camera: PerspectiveCamera, height: number, distance: number): number {
  return (2 * distance * Math.tan((camera.fov * Math.PI) / 360)) / (Math.max(1, height) * camera.zoom);
}

export interface PersonHit { person: Person; distance: number; point: Vector3 }

/** Returns everyone a ray hits, in any order. */
export function hitPeople(cast: Cast, ray: Ray, camera: PerspectiveCamera, height: number): PersonHit[] {
  const out: PersonHit[] = [];
  for (const p of cast.people) {
    if (p.leftAt > 0) continue;
    const y = cast.data[p.index * STRIDE + At.y]!;
    const gap = Math.sqrt(ray.distanceSqToSegment(from.set(p.x, y + radius, p.z), to.set(p.x, y + top - radius, p.z), onRay, onBody));
    const distance = ray.origin.distanceTo(onRay);
    if (gap <= Math.max(radius, minRadius * metresPerPixel(camera, height, distance))) out.push({ person: p, distance, point: onRay.clone() });
  }
  return out;
}

/** Returns the crew member nearest to a point on the canvas, or null if none is within `reach` CSS pixels. */
export function nearestAgent(cast: Cast, x: number, y: number, project: (p: Person) => { x: number; y: number; visible: boolean }, reach = 48): Person | null {
  let best: Person | null = null, least2 = reach * reach;
  for (const p of cast.people) {
    if (p.kind !== 'agent' || p.view?.source) continue; // guests accept no cards
    const s = project(p), d2 = (s.x - x) ** 2 + (s.y - y) ** 2;
    if (s.visible && d2 < least2) { best = p; least2 = d2; }
  }
  return best;
}
