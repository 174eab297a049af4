import { PerspectiveCamera, Vector3 } from 'three';
import { describe, expect, test } from 'vitest';
import { CameraRig, nearestTurn, zoomLimit } from './camera.ts';
import { frameRoom } from './fit.ts';

const overview = { target: [0.75, 0.75, 1] as [number, number, number], distance: 42.5, azimuth: 45, elevation: 33 }, room = { w: 13.4, d: 10.4, h: 2.95 };
const rig = () => new CameraRig(overview, room, 18);
const fit = (r: CameraRig, aspect: number, cards: Parameters<typeof frameRoom>[2] = []) => r.fit(frameRoom({ camera: overview, fov: 18, room }, { width: aspect * 720, height: 720 }, cards));
const settle = (r: CameraRig) => { for (let i = 0; i < 600 && r.step(1 / 60, false); i++); return r; };

function onScreen(r: CameraRig, p: [number, number, number], aspect = 16 / 9): { x: number; y: number } {
  const camera = new PerspectiveCamera(18, aspect, 1, 320);
  r.apply(camera);
  const v = new Vector3(...p).project(camera);
  return { x: v.x, y: v.y };
}

describe('camera', () => {
  test('tells a close view from the whole room, at any angle', () => {
    const r = rig();
    fit(r, 16 / 9);
    expect(r.near).toBe(false);
    r.orbit(3);
    expect(r.near).toBe(false);
    r.lookAt([2, 0, 2], 17);
    expect(r.near).toBe(true);
    r.home();
    expect(r.near).toBe(false);
  });

  test('looks at its target from azimuth and elevation', () => {
    const [x, y, z] = rig().eye(), flat = Math.hypot(x - 0.75, z - 1);
    expect(Math.hypot(flat, y - 0.75)).toBeCloseTo(42.5);
    expect(Math.atan2(x - 0.75, z - 1)).toBeCloseTo(Math.PI / 4);
    const mid = onScreen(rig(), [0.75, 0.75, 1]);
    expect(mid.x).toBeCloseTo(0);
    expect(mid.y).toBeCloseTo(0);
  });

  test('shows the whole room in the overview, on wide and on tall screens', () => {
    for (const aspect of [16 / 9, 1, 0.5]) {
      const r = rig();
      fit(r, aspect);
      for (const x of [-6.7, 6.7]) for (const z of [-5.2, 5.2]) for (const y of [0, x < 0 || z < 0 ? 2.95 : 0]) {
        const p = onScreen(r, [x, y, z], aspect);
        expect(Math.max(Math.abs(p.x), Math.abs(p.y)), `${aspect} ${x} ${y} ${z}`).toBeLessThan(1);
      }
    }
  });

  test('shows the whole room next to a panel', () => {
    const r = rig(), covered = 0.25;
    fit(r, 16 / 9, [{ left: 1280 * (1 - covered), top: 0, right: 1280, bottom: 720 }]);
    for (const x of [-6.7, 6.7]) for (const z of [-5.2, 5.2]) {
      const p = onScreen(r, [x, 0, z]);
      expect(p.x).toBeGreaterThan(-1);
      expect(p.x).toBeLessThan(1 - 2 * covered);
    }
  });

  test('keeps its distance within the limits', () => {
    const r = rig();
    for (let i = 0; i < 40; i++) r.zoom(0.7);
    expect(r.goal.distance).toBe(zoomLimit.near);
    for (let i = 0; i < 40; i++) r.zoom(1.4);
    expect(r.goal.distance).toBe(zoomLimit.far);
  });

  test('zooms towards the point under the pointer', () => {
    const r = rig(), before = onScreen(r, [3, 0.75, -2]);
    r.zoom(0.6, [3, -2]);
    const after = onScreen(settle(r), [3, 0.75, -2]);
    expect(after.x).toBeCloseTo(before.x, 2);
    expect(after.y).toBeCloseTo(before.y, 2);
  });

  test('keeps its target inside the room however far it is dragged', () => {
    const r = rig();
    for (let i = 0; i < 100; i++) r.pan(-300, 200, 720);
    expect(Math.abs(r.goal.x)).toBeLessThanOrEqual(6.7);
    expect(Math.abs(r.goal.z)).toBeLessThanOrEqual(5.2);
  });

  test('drags the floor with the pointer', () => {
    const r = rig();
    r.zoom(0.4);
    settle(r);
    const before = onScreen(r, [0.75, 0.75, 1]);
    r.pan(90, 0, 720);
    expect((onScreen(r, [0.75, 0.75, 1]).x - before.x) * (720 * 16 / 9) / 2).toBeCloseTo(90, 0);
  });

  test('turns in steps and hides the walls on its own side', () => {
    const r = rig();
    expect(r.hidden()).toEqual({ back: false, left: false });
    r.orbit(2);
    expect(settle(r).view.azimuth).toBe(135);
    expect(r.hidden()).toEqual({ back: true, left: false });
    r.orbit(2);
    expect(settle(r).hidden()).toEqual({ back: true, left: true });
    r.orbit(2);
    expect(settle(r).hidden()).toEqual({ back: false, left: true });
    r.orbit(2);
    expect(settle(r).hidden()).toEqual({ back: false, left: false });
    expect(nearestTurn(r.goal.azimuth, 45)).toBe(405);
  });

  test('glides the same way at any frame rate and stops', () => {
    const slow = rig(), fast = rig();
    for (const r of [slow, fast]) r.frame({ target: [3, 0.75, -1], distance: 15, azimuth: 45, elevation: 33 });
    for (let i = 0; i < 10; i++) slow.step(1 / 20, false);
    for (let i = 0; i < 60; i++) fast.step(1 / 120, false);
    expect(slow.view.distance).toBeCloseTo(fast.view.distance, 5);
    expect(settle(slow).step(1 / 60, false)).toBe(false);
  });

  test('jumps with reduced motion', () => {
    const r = rig();
    r.orbit(1);
    expect(r.step(1 / 60, true)).toBe(false);
    expect(r.view.azimuth).toBe(90);
  });
});
