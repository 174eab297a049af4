import * as T from 'three';
import { screens, type ScreenLook } from '../look/palette.ts';
import { random } from './kit.ts';
import { screenKinds, type ScreenKind } from './screen_picture.ts';

const cell = 256;
type Pen = CanvasRenderingContext2D;

/** Returns a texture with all eight monitor pictures, in two rows of four. */
export function screenAtlas(): T.Texture {
  const canvas = document.createElement('canvas');
  canvas.width = cell * 4;
  canvas.height = cell * 2;
  const c = canvas.getContext('2d'), roll = random(3);
  if (c) for (const [n, kind] of screenKinds.entries()) {
    c.save();
    c.translate((n % 4) * cell, Math.floor(n / 4) * cell);
    drawScreen(c, kind, roll);
    c.restore();
  }
  const texture = new T.CanvasTexture(canvas);
  texture.colorSpace = T.SRGBColorSpace;
  texture.flipY = false;
  texture.anisotropy = 4;
  return texture;
}

function drawScreen(c: Pen, kind: ScreenKind, roll: () => number): void {
  const look = screens[kind], fill = c.createLinearGradient(0, 0, 0, cell);
  fill.addColorStop(0, look.from);
  fill.addColorStop(1, look.to);
  c.fillStyle = fill;
  c.fillRect(0, 0, cell, cell);
  if (kind === 'saver' || kind === 'saver_dusk') { hills(c, look); return; }
  c.fillStyle = look.bar;
  c.fillRect(0, 0, cell, 22);
  screens.code.lines.slice(0, 3).forEach((color, i) => disc(c, color, 16 + i * 18, 11, 5));
  if (kind === 'chart') for (let i = 0; i < 6; i++) { const h = 40 + roll() * 130; stroke(c, look.lines[i % look.lines.length]!, 26 + i * 36, 226 - h, 24, h); }
  else if (kind === 'waiting') { disc(c, look.lines[0]!, 128, 132, 54); for (const x of [106, 134]) stroke(c, look.from, x, 106, 16, 52); }
  else rows(c, kind, look, roll);
}

function rows(c: Pen, kind: ScreenKind, look: ScreenLook, roll: () => number): void {
  for (let row = 0; row < 11; row++) {
    const y = 36 + row * 19;
    let x = 18 + (kind === 'code' ? Math.floor(roll() * 4) * 16 : 0);
    if (kind === 'tests') { disc(c, look.lines[row === 7 ? 1 : 0]!, 24, y + 5, 6); x = 42; }
    if (kind === 'terminal' && row % 3 === 0) { stroke(c, look.lines[0]!, x, y, 8, 9); x += 16; }
    const parts = kind === 'page' ? 1 : 1 + roll() * 3;
    for (let i = 0; i < parts; i++) {
      const w = kind === 'page' ? (row % 4 === 0 ? 110 : 150 + roll() * 66) : 18 + roll() * 58;
      if (x + w > 240) break;
      stroke(c, kind === 'page' ? look.lines[row % 4 === 0 ? 0 : 2]! : look.lines[(kind === 'tests' ? 2 : 0) + Math.floor(roll() * (look.lines.length - (kind === 'tests' ? 2 : 0)))]!, x, y, w, 9);
      x += w + 8;
    }
  }
}

/** Draws a sun over hills. */
function hills(c: Pen, look: ScreenLook): void {
  disc(c, look.bar, 176, 92, 34);
  look.lines.forEach((color, i) => {
    c.fillStyle = color;
    c.beginPath();
    c.moveTo(0, cell);
    for (let x = 0; x <= cell; x += 8) c.lineTo(x, 150 + i * 34 + Math.sin(x * 0.022 + i * 2.1) * (26 - i * 5));
    c.lineTo(cell, cell);
    c.fill();
  });
}

function disc(c: Pen, color: string, x: number, y: number, r: number): void {
  c.fillStyle = color;
  c.beginPath();
  c.arc(x, y, r, 0, 7);
  c.fill();
}

function stroke(c: Pen, color: string, x: number, y: number, w: number, h: number): void {
  c.fillStyle = color;
  c.beginPath();
  c.roundRect(x, y, w, h, 4);
  c.fill();
}
