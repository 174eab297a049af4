import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { placeCampus } from '../world/campus.ts';
import { benchPeople, benchRooms } from './bench_campus.ts';
import { CameraRig } from './camera.ts';
import { zoomLevelOf } from './campus.ts';
import { cornersOf, frameRoom, hullOf } from './fit.ts';
import { buildGarden } from './garden.ts';
import { buildGround } from './ground.ts';
import { tintsPerPart } from './kit.ts';
import { buildOffice } from './office.ts';
import { finish } from './slices.ts';
import { accentNumber, accentPaints } from './studios_material.ts';
import { deskModule } from './studios_model.ts';

const scene = (id: string) => JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes', `${id}.json`), 'utf8')) as SceneManifest;
const house = scene('cozy_office_v0'), studio = scene('studio_v0'), garden = scene('garden_v0'), modules = new Map([['studio_v0', studio], ['garden_v0', garden]]);
const campus = (n: number) => placeCampus(house, modules, benchRooms(n, n * 12));

describe('a studio', () => {
  const kit = buildOffice(studio, false, { tints: accentPaints, partOf: deskModule });

  test('leaves the colours of its accents and the number of its desks to the code that draws it', () => {
    const kinds = new Set([...(kit.batches.matte.geometry().getAttribute('kind').array as Float32Array)]), parts = new Set([...kinds].map(k => Math.floor(k / tintsPerPart)));
    expect([...parts].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    // The accent, both wainscots, the rug and the curtains.
    expect([...new Set([...kinds].map(k => k % tintsPerPart))].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('has two desks and two chairs in each of its desk modules', () => {
    for (let n = 1; n <= 6; n++) expect(studio.objects.filter(o => deskModule(o) === n).map(o => o.kind).sort()).toEqual(['desk', 'desk', 'office_chair', 'office_chair']);
  });

  test('has a colour for every paint, and an accent for each accent name of the protocol', () => {
    expect([...kit.unknownPaints]).toEqual([]);
    expect(['terracotta', 'blue', 'purple', 'amber', 'green', 'teal'].map(accentNumber)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(accentNumber('pink')).toBe(0);
  });

  test('is coarse enough to be drawn a dozen times', () => {
    expect(kit.triangles).toBeLessThan(40_000);
    expect(buildOffice(studio, true, { tints: accentPaints, partOf: deskModule }).triangles).toBeLessThan(80_000);
  });
});

describe('the ground', () => {
  test('has a builder and a colour for everything in the garden', () => {
    const { kit } = finish(buildGround(campus(6), true)), inside = buildGarden(garden, true);
    expect([...kit.unknownPaints, ...inside.unknownPaints]).toEqual([]);
    expect(inside.pieces.length).toBe(garden.objects.length);
    expect(kit.triangles + inside.triangles).toBeLessThan(90_000);
  });

  test('is built in many small slices', () => {
    const slices = [...buildGround(campus(24), true)];
    expect(slices.length).toBeGreaterThan(50);
    expect(Math.max(...slices)).toBeLessThan(3000);
  });

  test('keeps plants and paths out of the rooms', () => {
    const placed = campus(12), { kit } = finish(buildGround(placed, false)), at = kit.batches.floor.geometry().getAttribute('position');
    const rooms = placed.filter(p => p.id !== 'garden');
    for (let i = 0; i < at.count; i += 7) expect(rooms.some(p => Math.abs(at.getX(i) - p.x) < p.manifest.room.w / 2 && Math.abs(at.getZ(i) - p.z) < p.manifest.room.d / 2)).toBe(false);
  });

  test('is the same every time', () => {
    const placed = campus(3), points = () => finish(buildGround(placed, false)).kit.batches.matte.geometry().getAttribute('position').array;
    expect(points()).toEqual(points());
  });
});

describe('the camera over a campus', () => {
  const { camera, fov } = house.ambience, size = { width: 1456, height: 819 };

  test('fits corners into the free part of the picture', () => {
    const corners = campus(5).flatMap(p => cornersOf(p.manifest.room, p.x, p.z)), shown = { camera: { ...camera, target: [14, 0.75, 12] as [number, number, number] }, fov, room: house.room, corners };
    const frame = frameRoom(shown, size, []), half = size.width / size.height / 2;
    for (const [x, y] of hullOf(shown, frame.distance)) {
      expect(Math.abs(x - frame.aside * (size.width / size.height))).toBeLessThan(half);
      expect(Math.abs(y + frame.rise)).toBeLessThan(0.5);
    }
  });

  test('shows corners in the middle of the space between panels, even in a tall window', () => {
    const { room } = studio, shown = { camera: { ...camera, target: [15.2, 0.75, 0] as [number, number, number], distance: 20 }, fov, room, corners: cornersOf(room, 15.2, 0) };
    for (const [width, height] of [[1280, 720], [1920, 1080], [390, 760]] as const) {
      const side = { left: width * 0.75, right: width, top: 0, bottom: height }, frame = frameRoom(shown, { width, height }, [side]);
      const at = hullOf(shown, frame.distance).map(([x, y]) => [width / 2 + x * height - frame.aside * width, height / 2 - y * height - frame.rise * height] as const);
      const xs = at.map(p => p[0]), ys = at.map(p => p[1]);
      expect(Math.min(...xs) - (side.left - Math.max(...xs))).toBeCloseTo(0, -1);
      expect(Math.min(...ys) - (height - Math.max(...ys))).toBeCloseTo(0, -1);
      expect(Math.min(...xs, ...ys)).toBeGreaterThan(0);
    }
  });

  test('shows only a part of the width if asked, and everything from top to bottom', () => {
    const corners = campus(5).flatMap(p => cornersOf(p.manifest.room, p.x, p.z)), phone = { width: 390, height: 760 };
    const shown = { camera: { ...camera, target: [14, 0.75, 12] as [number, number, number], elevation: 50 }, fov, room: house.room, corners }, all = frameRoom(shown, phone, []), part = frameRoom({ ...shown, across: 0.62 }, phone, []);
    const extent = ({ distance }: typeof all, axis: 0 | 1) => { const at = hullOf(shown, distance).map(p => p[axis]); return (Math.max(...at) - Math.min(...at)) * phone.height; };
    expect(extent(all, 0)).toBeLessThan(phone.width);
    expect(extent(part, 0) * 0.62).toBeLessThan(phone.width);
    expect(extent(part, 1)).toBeGreaterThan(extent(all, 1) * 1.4);
    expect(extent(part, 1)).toBeLessThan(phone.height);
  });

  test('returns home to where the overview is drawn', () => {
    const rig = new CameraRig(camera, house.room, fov);
    rig.fit({ distance: 90, aside: 0.1, rise: 0.05 });
    rig.lookAt([3, 0, 2], 17);
    rig.shift({ aside: -0.2, rise: 0 });
    rig.home();
    expect(rig.goal).toMatchObject({ distance: 90, aside: 0.1, rise: 0.05 });
  });

  test('glides to the new overview when the campus grows, and stays if the user looks elsewhere', () => {
    const rig = new CameraRig(camera, house.room, fov), to = { ...camera, target: [14, 0.75, 12] as [number, number, number] }, area = { x: 14, z: 12, w: 44, d: 38 };
    rig.fit({ distance: 42.5, aside: 0, rise: 0 });
    rig.setOverview(to, area);
    rig.fit({ distance: 90, aside: 0, rise: 0 });
    expect(rig.goal).toMatchObject({ x: 14, z: 12, distance: 90 });
    expect(rig.view.distance).toBe(42.5);
    rig.lookAt([30, 0, 2], 20);
    rig.setOverview({ ...to, target: [18, 0.75, 15] }, { x: 18, z: 15, w: 52, d: 44 });
    expect(rig.goal).toMatchObject({ x: 30, z: 2, distance: 20 });
    expect(rig.near).toBe(true);
  });

  test('determines its three zoom levels from pixels per metre', () => {
    expect([zoomLevelOf(30, true), zoomLevelOf(30, false), zoomLevelOf(70, true), zoomLevelOf(140, false)]).toEqual(['campus', 'studio', 'studio', 'person']);
  });
});

describe('the made-up campus of the benchmark', () => {
  test('gives everybody who does not walk a seat or a place on a stage of their own', () => {
    const rooms = benchRooms(12, 200), people = benchPeople(200, house, modules, rooms, 0), spots = people.filter(p => !p.motion).map(g => g.goal?.anchor_id);
    expect(people).toHaveLength(200);
    expect(new Set(spots).size).toBe(spots.length);
    expect(people.filter(p => p.motion).length).toBeGreaterThanOrEqual(50);
    expect(new Set(rooms.map(r => r.plot.join())).size).toBe(12);
  });

  test('works without studios, and has room for a thousand people', () => {
    expect(benchPeople(8, house, modules, [], 0).every(p => !p.room_id)).toBe(true);
    expect(benchPeople(1000, house, modules, benchRooms(24, 1000), 0)).toHaveLength(1000);
  });
});
