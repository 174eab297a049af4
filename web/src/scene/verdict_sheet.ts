import { CanvasTexture, SRGBColorSpace } from 'three';
import type { Verdict } from '../contracts/protocol.gen.ts';
import { verdicts } from '../contracts/words.gen.ts';
import { verdictColors, verdictIcons } from '../look/verdicts.ts';

type Pen = CanvasRenderingContext2D;

const order: readonly Verdict[] = ['proven', 'partly', 'only_said', 'failed'];
const across = 2, cellW = 256, cellH = 184;
/** The width of a label divided by its height. */
export const labelRatio = cellW / cellH;
const face = (px: number): string => `800 ${px}px 'Nunito Variable', Nunito, sans-serif`;

/** Returns the edges of a verdict's label in the sheet: left, bottom, right, top. */
export function labelCell(verdict: Verdict): readonly [number, number, number, number] {
  const n = order.indexOf(verdict), x = (n % across) / across, rows = order.length / across, y = 1 - Math.floor(n / across) / rows;
  return [x, y - 1 / rows, x + 1 / across, y];
}

/**
 * The labels of all verdicts in one texture, each with an icon over a word. `changed` is called whenever the texture
 * has been drawn: at the start, and after fonts have loaded.
 */
export class VerdictSheet {
  readonly texture: CanvasTexture;
  readonly #stop: () => void;

  constructor(changed: () => void) {
    const canvas = document.createElement('canvas');
    canvas.width = cellW * across;
    canvas.height = cellH * order.length / across;
    this.texture = new CanvasTexture(canvas);
    this.texture.colorSpace = SRGBColorSpace;
    this.texture.anisotropy = 8;
    const pen = canvas.getContext('2d'), draw = () => {
      if (!pen) return;
      pen.clearRect(0, 0, canvas.width, canvas.height);
      order.forEach((verdict, n) => drawLabel(pen, verdict, (n % across) * cellW, Math.floor(n / across) * cellH));
      this.texture.needsUpdate = true;
      changed();
    };
    draw();
    document.fonts?.addEventListener('loadingdone', draw);
    this.#stop = () => document.fonts?.removeEventListener('loadingdone', draw);
  }

  dispose(): void {
    this.#stop();
    this.texture.dispose();
  }
}

function drawLabel(pen: Pen, verdict: Verdict, x: number, y: number): void {
  const { label, ink } = verdictColors[verdict];
  pen.fillStyle = label;
  pen.strokeStyle = ink;
  pen.lineWidth = 7;
  pen.beginPath();
  pen.roundRect(x + 8, y + 8, cellW - 16, cellH - 16, 26);
  pen.fill();
  pen.stroke();
  drawIcon(pen, verdict, x + cellW / 2 - 48, y + 19, 96);
  pen.fillStyle = ink;
  pen.textAlign = 'center';
  pen.font = face(44);
  const wide = pen.measureText(verdicts[verdict]).width, most = cellW - 48;
  if (wide > most) pen.font = face(Math.floor(44 * most / wide));
  pen.fillText(verdicts[verdict], x + cellW / 2, y + 156);
}

/** Draws a verdict's icon in its ink colour. */
function drawIcon(pen: Pen, verdict: Verdict, x: number, y: number, size: number): void {
  pen.save();
  pen.translate(x, y);
  pen.scale(size / 24, size / 24);
  pen.strokeStyle = verdictColors[verdict].ink;
  pen.lineWidth = 2.6;
  pen.lineCap = pen.lineJoin = 'round';
  for (const [, { d }] of verdictIcons[verdict]) if (typeof d === 'string') pen.stroke(new Path2D(d));
  pen.restore();
}

/** Draws a verdict as a small pill that ends at `right`, for a card on the wall. */
export function drawVerdict(pen: Pen, verdict: Verdict, right: number, y: number): void {
  const { label, ink } = verdictColors[verdict], h = 30;
  pen.font = face(19);
  const w = pen.measureText(verdicts[verdict]).width + 44, x = right - w;
  pen.fillStyle = label;
  pen.beginPath();
  pen.roundRect(x, y, w, h, h / 2);
  pen.fill();
  drawIcon(pen, verdict, x + 9, y + 5, 20);
  pen.fillStyle = ink;
  pen.fillText(verdicts[verdict], x + 33, y + 22);
}
