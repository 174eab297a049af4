import { readFileSync } from 'node:fs';
import { type InstancedMesh, Matrix4, type Mesh, MeshLambertMaterial, Vector3 } from 'three';
import { expect, test } from 'vitest';
import type { Artifact, SceneManifest, Task, Verdict } from '../contracts/protocol.gen.ts';
import { Bursts } from './burst.ts';
import type { Stage } from './layer.ts';
import { objectOf } from './props_place.ts';
import { ShelfBoxes } from './props_shelf.ts';
import { quality } from './quality.ts';
import { labelCell } from './verdict_sheet.ts';

const scene = JSON.parse(readFileSync('../contracts/scenes/cozy_office_v0.json', 'utf8')) as SceneManifest;
const stage = { manifest: scene, quality: quality('low'), still: true, night: 0, hidden: { back: false, left: false }, invalidate() {}, castersMoved() {}, material: () => new MeshLambertMaterial() } as unknown as Stage;
const tree = 'a'.repeat(40);
const box = (n: number, more: Partial<Artifact> = {}): Artifact => ({ artifact_id: `art_${n}`, project_id: 'p', task_id: `task_${n}`, type: 'patch', version: 1, status: 'in_review', tree, ...more });
const task = (n: number, verdict: Verdict, of = tree): Task => ({ task_id: `task_${n}`, project_id: 'p', title: '', status: 'review', tree: of, verdict });

/** Returns the cell and the middle of each label, the place of each box, and the number of objects that are drawn. */
function seen(boxes: ShelfBoxes): { labels: { cell: number[]; middle: Vector3 }[]; places: Vector3[]; drawn: number } {
  const [crates, sheet] = boxes.group.children as [InstancedMesh, Mesh], { position: pos, uv } = sheet.geometry.attributes;
  const corner = (i: number) => new Vector3().fromBufferAttribute(pos!, i);
  const labels = Array.from({ length: sheet.visible ? sheet.geometry.drawRange.count / 6 : 0 }, (_, i) => ({
    cell: [uv!.getX(i * 4), uv!.getY(i * 4), uv!.getX(i * 4 + 2), uv!.getY(i * 4 + 2)],
    middle: corner(i * 4).lerp(corner(i * 4 + 2), 0.5),
  }));
  const places = Array.from({ length: crates.count }, (_, i) => { const m = new Matrix4(); crates.getMatrixAt(i, m); return new Vector3().setFromMatrixPosition(m); });
  return { labels, places, drawn: boxes.group.children.filter(o => o.visible).length };
}

test('each box shows the verdict on its own files, in one draw call', () => {
  const boxes = new ShelfBoxes(stage, objectOf(scene, 'delivery_shelf')!, new Bursts());
  const rows = [box(1), box(2), box(3, { tree: 'b'.repeat(40) }), box(4, { type: 'copy', tree: undefined! })];
  boxes.update(rows, [], 1);
  expect(seen(boxes)).toMatchObject({ labels: [], drawn: 1 });
  const tasks = [task(1, 'proven'), task(2, 'failed'), task(3, 'proven'), task(4, 'proven', undefined!)];
  boxes.update(rows, tasks, 2);
  const { labels, places, drawn } = seen(boxes);
  expect(drawn).toBe(2);
  expect(labels.map(l => l.cell)).toEqual([labelCell('failed'), labelCell('proven')].map(c => c.map(Math.fround)));
  // The newest box is first on the shelf: art_4, art_3, art_2, art_1.
  for (const [i, l] of labels.entries()) {
    const off = l.middle.clone().sub(places[i + 2]!);
    expect([Math.hypot(off.x, off.z), off.y]).toEqual([expect.closeTo(0.168, 3), expect.closeTo(0.15, 3)]);
  }
  boxes.update(rows, [task(1, 'proven'), task(2, 'partly')], 3);
  expect(seen(boxes).labels[0]!.cell).toEqual([...labelCell('partly')].map(Math.fround));
  boxes.update([], tasks, 4);
  expect(seen(boxes).labels).toEqual([]);
  boxes.dispose();
});

test('the labels of the verdicts do not overlap', () => {
  const cells = (['proven', 'partly', 'only_said', 'failed'] as const).map(labelCell);
  expect(new Set(cells.map(String)).size).toBe(4);
  for (const [left, bottom, right, top] of cells) expect([right - left, top - bottom]).toEqual([0.5, 0.5]);
});
