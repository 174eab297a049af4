import { CanvasTexture, SRGBColorSpace } from 'three';
import { cardColors, deskColors, markColors } from '../look/marks.ts';
import type { Todo } from '../world/desk_facts.ts';
import { check, wrap } from './canvas_text.ts';
import { plainLine } from './labels_text.ts';

/** The number of cells in the sheet, across and down, and their size in pixels. */
const across = 4, down = 6, cellW = 256, cellH = 160;
const sheetW = across * cellW, sheetH = 1024;
/** The number of cells that can be used; the rest of the sheet is empty. */
export const sheetCells = across * down;
/** The maximum number of to-dos that are shown. */
const listed = 5;

/**
 * The content of a cell: the work on a monitor, a to-do list, or the sign of an agent that is summarizing its
 * conversation.
 */
export type Cell = { kind: 'screen'; line: string; color: string } | { kind: 'todos'; todos: readonly Todo[] } | { kind: 'sign'; text: string };

/** Text for monitors, lists and signs, in the cells of one texture. A cell is drawn only if its content has changed. */
export class DeskSheet {
  readonly texture: CanvasTexture;
  readonly #pen: CanvasRenderingContext2D | null;
  readonly #drawn: string[] = [];

  constructor() {
    const canvas = document.createElement('canvas');
    canvas.width = sheetW;
    canvas.height = sheetH;
    this.#pen = canvas.getContext('2d');
    this.texture = new CanvasTexture(canvas);
    this.texture.colorSpace = SRGBColorSpace;
    this.texture.anisotropy = 4;
  }

  /** Draws into a cell and returns its corners in the texture: left, bottom, right, top. */
  put(n: number, cell: Cell): readonly [number, number, number, number] {
    const x = (n % across) * cellW, y = Math.floor(n / across) * cellH, says = JSON.stringify(cell);
    if (this.#drawn[n] !== says && this.#pen) {
      this.#drawn[n] = says;
      this.#pen.save();
      this.#pen.beginPath();
      this.#pen.rect(x, y, cellW, cellH);
      this.#pen.clip();
      this.#pen.translate(x, y);
      draw(this.#pen, cell);
      this.#pen.restore();
      this.texture.needsUpdate = true;
    }
    return [x / sheetW, 1 - (y + cellH) / sheetH, (x + cellW) / sheetW, 1 - y / sheetH];
  }
}

function draw(pen: CanvasRenderingContext2D, cell: Cell): void {
  const fill = (color: string, x: number, y: number, w: number, h: number) => { pen.fillStyle = color; pen.fillRect(x, y, w, h); };
  if (cell.kind === 'screen') {
    fill(deskColors.screen, 0, 0, cellW, cellH);
    fill(cell.color, 0, 0, cellW, 20);
    pen.fillStyle = deskColors.glow;
    pen.font = '600 23px ui-monospace, "DejaVu Sans Mono", monospace';
    wrap(pen, plainLine(cell.line, 70), cellW - 28, 4).forEach((line, i) => pen.fillText(line, 14, 52 + i * 29));
    return;
  }
  fill(cell.kind === 'sign' ? deskColors.sign : cardColors.paper, 0, 0, cellW, cellH);
  pen.fillStyle = cardColors.ink;
  if (cell.kind === 'sign') {
    pen.font = `800 34px 'Nunito Variable', Nunito, sans-serif`;
    pen.textAlign = 'center';
    wrap(pen, cell.text, cellW - 20, 3).forEach((line, i) => pen.fillText(line, cellW / 2, 58 + i * 40));
    return;
  }
  fill(markColors.type, 0, 0, cellW * (cell.todos.filter(t => t.done).length / cell.todos.length), 12);
  const first = Math.max(0, Math.min(cell.todos.findIndex(t => !t.done) - 1, cell.todos.length - listed));
  cell.todos.slice(first, first + listed).forEach((todo, i) => {
    const y = 36 + i * 28;
    pen.strokeStyle = cardColors.faint;
    pen.lineWidth = 2;
    pen.strokeRect(12, y - 15, 16, 16);
    if (todo.done) check(pen, 10, y - 20, 0.75);
    pen.fillStyle = todo.done ? cardColors.faint : cardColors.ink;
    pen.font = `${todo.active ? 800 : 600} 20px 'Nunito Variable', Nunito, sans-serif`;
    pen.fillText(wrap(pen, plainLine(todo.text, 40), cellW - 48, 1)[0] ?? '', 38, y);
  });
}
