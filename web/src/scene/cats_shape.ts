import { type BufferGeometry, Color, Matrix4 } from 'three';
import { catColors } from '../look/marks.ts';
import { paint } from '../look/palette.ts';
import { Batch, type Place, type Rgb } from './batch.ts';
import type { Shape } from './shape.ts';
import { Shapes } from './shapes.ts';

const origin = new Matrix4(), white: Rgb = [1, 1, 1];
const rgb = (hex: string): Rgb => new Color(hex).toArray() as unknown as Rgb;

type Part = 'body' | 'head' | 'tail';
const parts: readonly Part[] = ['body', 'head', 'tail'];
const coats = ['fur', 'dark'] as const;

/**
 * Returns a sleeping cat that faces +z. The attribute `kind` of a point is 3 times the number of its part (body, head,
 * tail), plus 1 for fur or 2 for dark fur. Each cat sets the colours of its fur.
 */
export function catGeometry(fine: boolean): BufferGeometry {
  const shapes = new Shapes(fine), batch = new Batch(), y = 0.045;
  const add = (part: Part, shape: Shape, color: (typeof coats)[number] | Rgb, place: Place) => {
    const coat = typeof color === 'string' ? coats.indexOf(color) + 1 : 0;
    batch.add(shape, typeof color === 'string' ? white : color, place, origin, 'room', null, parts.indexOf(part) * 3 + coat);
  };
  add('body', shapes.sphere(0.16, 16, 12), 'fur', { p: [0, y + 0.1, 0], s: [1.25, 0.72, 0.95], ao: 0.3 });
  for (let i = -1; i <= 1; i++) add('body', shapes.sphere(0.06, 8, 6), 'dark', { p: [-0.02 + i * 0.09, y + 0.175 - Math.abs(i) * 0.02, -0.02], s: [0.35, 0.5, 1.5], ao: 0 });
  add('head', shapes.sphere(0.1, 14, 10), 'fur', { p: [0.17, y + 0.12, 0.08], ao: 0.2 });
  for (const s of [-1, 1]) {
    add('head', shapes.pyramid(0.038, 0.07), 'dark', { p: [0.17 + s * 0.05, y + 0.22, 0.07] });
    add('head', shapes.box(0.03, 0.006, 0.006, 0), rgb(catColors.lid), { p: [0.19 + s * 0.038, y + 0.133, 0.172], r: [0, 0, s * 0.2], ao: 0 });
  }
  add('head', shapes.sphere(0.045, 8, 6), rgb(paint.muzzle!), { p: [0.2, y + 0.095, 0.155] });
  add('head', shapes.sphere(0.012, 6, 4), rgb(catColors.nose), { p: [0.208, y + 0.108, 0.198], ao: 0 });
  add('tail', shapes.ring(0.17, 0.035, 8, 16, 2.6), 'dark', { p: [-0.02, y + 0.05, 0.02], r: [Math.PI / 2, 0, 2] });
  return batch.geometry();
}
