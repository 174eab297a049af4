import { BufferAttribute, BufferGeometry, CanvasTexture, Color, type Material, Mesh, type MeshStandardMaterial, type Raycaster, SRGBColorSpace } from 'three';
import type { SceneObject, Task } from '../contracts/protocol.gen.ts';
import { cardColors, kindColor, markColors } from '../look/marks.ts';
import { check, wrap } from './canvas_text.ts';
import { plainLine } from './labels_text.ts';
import type { Hit, Stage } from './layer.ts';
import { cardSize, pin, type Card } from './props_place.ts';
import { drawVerdict } from './verdict_sheet.ts';

/** The number of cells for cards in their texture: across, down, and in all. */
const across = 5, down = 8, maxCards = across * down;
const sheet = 1024, cellW = Math.floor(sheet / across), cellH = sheet / down;

/** The cards on the wall board: the office's tasks, one quad each, with their titles in one texture. */
export class BoardCards {
  readonly mesh: Mesh<BufferGeometry, Material>;
  readonly #pos = new BufferAttribute(new Float32Array(maxCards * 12), 3);
  readonly #col = new BufferAttribute(new Float32Array(maxCards * 12), 3);
  readonly #uv = new BufferAttribute(new Float32Array(maxCards * 8), 2);
  readonly #pen: CanvasRenderingContext2D | null = null;
  readonly #texture: CanvasTexture | null = null;
  #rows: readonly Task[] | null = null;
  #cards: Card[] = [];
  #drawn: string[] = [];

  constructor(readonly stage: Stage, readonly board: SceneObject) {
    const g = new BufferGeometry(), normal = new Float32Array(maxCards * 12), index: number[] = [];
    const nx = Math.sin(board.rotation_y), nz = Math.cos(board.rotation_y);
    for (let i = 0; i < maxCards * 4; i++) normal.set([nx, 0, nz], i * 3);
    for (let i = 0; i < maxCards; i++) index.push(i * 4, i * 4 + 1, i * 4 + 2, i * 4, i * 4 + 2, i * 4 + 3);
    g.setAttribute('position', this.#pos);
    g.setAttribute('normal', new BufferAttribute(normal, 3));
    g.setAttribute('color', this.#col);
    g.setAttribute('uv', this.#uv);
    g.setIndex(index);
    const material = stage.material({ vertexColors: true, roughness: 0.92 });
    if (stage.quality.tier === 'high') {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = sheet;
      this.#pen = canvas.getContext('2d');
      if (this.#pen) {
        this.#texture = new CanvasTexture(canvas);
        this.#texture.colorSpace = SRGBColorSpace;
        this.#texture.anisotropy = 4;
        (material as MeshStandardMaterial).map = this.#texture;
      }
    }
    this.mesh = new Mesh(g, material);
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  update(rows: readonly Task[]): void {
    this.mesh.visible = this.#cards.length > 0 && !this.stage.hidden.back;
    if (rows === this.#rows) return;
    this.#rows = rows;
    this.#cards = pin(this.board, rows).slice(0, maxCards);
    this.#cards.forEach((c, i) => { this.#put(c, i); this.#draw(c, i); });
    this.mesh.geometry.setDrawRange(0, this.#cards.length * 6);
    this.mesh.visible = this.#cards.length > 0 && !this.stage.hidden.back;
    this.#pos.needsUpdate = this.#col.needsUpdate = this.#uv.needsUpdate = true;
    this.mesh.geometry.computeBoundingSphere();
    this.stage.invalidate();
  }

  pick(ray: Raycaster): Hit[] {
    if (!this.mesh.visible) return [];
    return ray.intersectObject(this.mesh, false).slice(0, 1).flatMap(h => {
      const card = this.#cards[Math.floor((h.faceIndex ?? 0) / 2)];
      return card ? [{ ref: { kind: 'task' as const, id: card.id }, distance: h.distance, point: h.point }] : [];
    });
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.#texture?.dispose();
  }

  #put(c: Card, i: number): void {
    const sin = Math.sin(c.turn), cos = Math.cos(c.turn), ct = Math.cos(c.tilt), st = Math.sin(c.tilt);
    const paper = new Color(this.#pen ? cardColors.paper : c.task.status === 'blocked' ? markColors.blocked : kindColor(c.task.kind));
    if (c.lane === 'done') paper.lerp(new Color(cardColors.paper), this.#pen ? 0 : 0.45);
    const u = (i % across) * cellW / sheet, v = 1 - (Math.floor(i / across) * cellH) / sheet, du = cellW / sheet, dv = cellH / sheet;
    [[-1, -1], [1, -1], [1, 1], [-1, 1]].forEach(([x, y], k) => {
      const lx = (x! * ct - y! * st * (cardSize.h / cardSize.w)) * cardSize.w / 2, ly = (y! * ct + x! * st * (cardSize.w / cardSize.h)) * cardSize.h / 2;
      this.#pos.setXYZ(i * 4 + k, c.pos[0] + lx * cos, c.pos[1] + ly, c.pos[2] - lx * sin);
      this.#col.setXYZ(i * 4 + k, paper.r, paper.g, paper.b);
      this.#uv.setXY(i * 4 + k, u + (x! > 0 ? du : 0), v - (y! > 0 ? 0 : dv));
    });
  }

  /** Draws a card into cell i if its content changed. */
  #draw(card: Card, i: number): void {
    const pen = this.#pen, t = card.task;
    if (!pen || !this.#texture) return;
    const says = `${t.title}\n${t.kind}\n${t.status}\n${t.percent ?? 0}\n${t.verdict}\n${card.more}`;
    if (this.#drawn[i] === says) return;
    this.#drawn[i] = says;
    const x = (i % across) * cellW, y = Math.floor(i / across) * cellH;
    pen.save();
    pen.beginPath();
    pen.rect(x, y, cellW, cellH);
    pen.clip();
    pen.fillStyle = kindColor(t.kind);
    pen.globalAlpha = card.lane === 'done' ? 0.55 : 1;
    pen.fillStyle = cardColors.paper; pen.fillRect(x, y, cellW, cellH);
    pen.fillStyle = kindColor(t.kind); pen.fillRect(x, y, cellW, cellH);
    pen.globalAlpha = 1;
    pen.fillStyle = cardColors.ink;
    pen.font = `800 25px 'Nunito Variable', Nunito, sans-serif`;
    wrap(pen, plainLine(card.more > 0 ? `+${card.more + 1} more` : t.title, 60), cellW - 24, 3).forEach((line, k) => pen.fillText(line, x + 12, y + 34 + k * 28));
    if (t.status === 'blocked') { pen.fillStyle = markColors.ask; pen.beginPath(); pen.arc(x + cellW - 18, y + 18, 10, 0, 7); pen.fill(); }
    if (t.verdict && card.more === 0 && card.lane !== 'doing') drawVerdict(pen, t.verdict, x + cellW - 8, y + cellH - 37);
    else if (card.lane === 'done') check(pen, x + cellW - 40, y + cellH - 36);
    else if ((t.percent ?? 0) > 0) bar(pen, x + 12, y + cellH - 18, cellW - 24, (t.percent ?? 0) / 100);
    pen.restore();
    this.#texture.needsUpdate = true;
  }
}

function bar(pen: CanvasRenderingContext2D, x: number, y: number, w: number, part: number): void {
  pen.fillStyle = cardColors.paper;
  pen.fillRect(x, y, w, 9);
  pen.fillStyle = markColors.type;
  pen.fillRect(x, y, w * Math.min(1, part), 9);
}
