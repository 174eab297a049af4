import * as T from 'three';
import { screens, trafficLights } from '../look/palette.ts';
import { dice } from './kit.ts';

const cell = 256;

/** Eight screens in one texture, four across: code, a document, a chart. */
export function screenAtlas(): T.Texture {
  const canvas = document.createElement('canvas');
  canvas.width = cell * 4;
  canvas.height = cell * 2;
  const c = canvas.getContext('2d'), roll = dice(3);
  if (c) for (let n = 0; n < 8; n++) {
    c.save();
    c.translate((n % 4) * cell, Math.floor(n / 4) * cell);
    drawScreen(c, n, roll);
    c.restore();
  }
  const texture = new T.CanvasTexture(canvas);
  texture.colorSpace = T.SRGBColorSpace;
  texture.flipY = false;
  texture.anisotropy = 4;
  return texture;
}

function drawScreen(c: CanvasRenderingContext2D, n: number, roll: () => number): void {
  const look = screens[n % screens.length]!, fill = c.createLinearGradient(0, 0, cell, cell), line = () => look.lines[Math.floor(roll() * look.lines.length)]!;
  fill.addColorStop(0, look.from);
  fill.addColorStop(1, look.to);
  c.fillStyle = fill;
  c.fillRect(0, 0, cell, cell);
  c.fillStyle = look.bar;
  c.fillRect(0, 0, cell, 22);
  trafficLights.forEach((color, i) => { c.fillStyle = color; c.beginPath(); c.arc(16 + i * 18, 11, 5, 0, 7); c.fill(); });
  if (n === 5) {
    for (let i = 0; i < 6; i++) { const h = 30 + roll() * 120; c.fillStyle = look.lines[i % look.lines.length]!; c.fillRect(26 + i * 36, 220 - h, 24, h); }
    return;
  }
  for (let row = 0; row < 11; row++) {
    let x = 18 + Math.floor(roll() * 3) * 16;
    for (let i = 0; i < 1 + roll() * 3; i++) {
      const w = 18 + roll() * 58;
      if (x + w > 240) break;
      c.fillStyle = line();
      c.beginPath();
      c.roundRect(x, 36 + row * 19, w, 9, 4);
      c.fill();
      x += w + 8;
    }
  }
}
