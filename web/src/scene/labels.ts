import { effect } from '@preact/signals';
import { Group, Matrix4, type Raycaster } from 'three';
import { badgeColor, markColors } from '../look/marks.ts';
import { deskWords } from '../world/desk_words.ts';
import { kickoffLines } from '../world/kickoff.ts';
import type { RoomDeps } from './deps.ts';
import { markWord, type Mark } from './labels_icon.ts';
import { layout, pillHeight, type Crowded, type PlacedLabel, type Tag } from './labels_layout.ts';
import { LabelMeasure } from './labels_measure.ts';
import { placeOf, rankOf, speechOf, tagName, type Speech } from './labels_text.ts';
import type { Hit, Layer, Stage } from './layer.ts';
import { castOf, type Cast, type Person } from './people_cast.ts';
import { At, STRIDE } from './rig.ts';
import { LabelElement, crowdElement } from './labels_element.ts';
import { offStage } from './staging.ts';
import '../look/labels.css';
import * as say from '../contracts/words.gen.ts';

/** The shortest time between label layouts, in ms. */
const layoutInterval = 66;
/** The height of labels above the floor in metres: just above head height. */
const crown = 1.4;

/**
 * Shows names, speech and status over people's heads, placed so that labels do not overlap. Text is never interpreted
 * as markup.
 */
export function createLabels(stage: Stage, el: HTMLElement, deps: RoomDeps): Layer {
  return new Labels(stage, el, deps);
}

class Labels implements Layer {
  readonly group = new Group();
  readonly #cast: Cast;
  readonly #measure: LabelMeasure;
  readonly #shown = new Map<string, LabelElement>();
  readonly #spare: LabelElement[] = [];
  readonly #badges: HTMLElement[] = [];
  readonly #speech = new Map<string, Speech>();
  readonly #tags: Tag[] = [];
  readonly #heads = new Map<string, Tag>();
  readonly #offsets = new Map<string, [number, number]>();
  readonly #matrix = new Matrix4();
  readonly #at = { x: 0, y: 0 };
  readonly #stop: () => void;
  #placed: readonly PlacedLabel[] = [];
  #more: ReadonlyMap<string, readonly string[]> = new Map();
  #dirty = true;
  #print = NaN;
  #last = -Infinity;
  /** Server time at which to check again whether speech has ended; Infinity if nobody is speaking. */
  #recheckAt = Infinity;

  constructor(readonly stage: Stage, readonly el: HTMLElement, readonly deps: RoomDeps) {
    this.#cast = castOf(stage);
    this.#measure = new LabelMeasure(el, () => { this.#dirty = true; stage.invalidate(); });
    const { store, focus, settings } = deps;
    this.#stop = effect(() => {
      void store.agents.value; void store.streams.value; void store.tasks.value; void store.decisions.value; void store.chats.value; void store.players.value; void store.me.value; void store.status.value; void store.feed.value;
      void focus.selected.value; void focus.hovered.value; void focus.cards.value; void focus.zoomLevel.value; void settings.labels.value;
      this.#dirty = true;
      stage.invalidate();
    });
  }

  update(now: number, _dt: number): boolean {
    const print = this.#fingerprint();
    if (!this.#dirty && print === this.#print && now < this.#recheckAt) return false;
    // A layout is also due if the clock has gone backwards, as it may in tests.
    if (now - this.#last < layoutInterval && now >= this.#last) { this.#follow(); return true; }
    this.#dirty = false;
    this.#print = print;
    this.#last = now;
    this.#offsets.clear();
    if (this.deps.settings.labels.peek() === 'off') { this.#placed = []; this.#show([], []); return false; }
    this.#collect(now);
    this.#recheckAt = this.#speech.size > 0 ? now + 1000 : Infinity;
    const { width, height } = this.stage.size;
    const out = layout(this.#tags, { width, height, labels: this.deps.settings.labels.peek() === 'all' ? 'all' : 'auto', cards: [...this.deps.focus.cards.peek(), ...this.stage.strips] });
    this.#placed = out.placed;
    for (const p of out.placed) { const t = this.#heads.get(p.id)!; this.#offsets.set(p.id, [p.x - t.x, p.y - t.y]); }
    this.#show(out.placed, out.crowded);
    return false;
  }

  /** Moves the labels along with people's heads, until the next layout. */
  #follow(): void {
    this.#aim();
    for (const [id, e] of this.#shown) {
      const p = this.#cast.byId.get(id), off = this.#offsets.get(id);
      if (p && off && this.#project(p)) e.move(this.#at.x + off[0], this.#at.y + off[1], p.x + p.z);
    }
  }

  #aim(): void { this.#matrix.multiplyMatrices(this.stage.camera.projectionMatrix, this.stage.camera.matrixWorldInverse); }

  /**
   * Projects the point above a person's head onto the page and stores the result in #at; returns false if the point is
   * behind the camera.
   */
  #project(p: Person): boolean {
    const e = this.#matrix.elements, y = this.#cast.data[p.index * STRIDE + At.y]! + this.#cast.data[p.index * STRIDE + At.hop]! + crown * p.look.height;
    const w = e[3]! * p.x + e[7]! * y + e[11]! * p.z + e[15]!;
    this.#at.x = ((e[0]! * p.x + e[4]! * y + e[8]! * p.z + e[12]!) / w + 1) * 0.5 * this.stage.size.width;
    this.#at.y = (1 - (e[1]! * p.x + e[5]! * y + e[9]! * p.z + e[13]!) / w) * 0.5 * this.stage.size.height;
    return w > 0;
  }

  /** Returns the person whose label is hit: a click on a label counts as a click on the person. */
  pick(ray: Raycaster): Hit[] {
    const at = ray.ray.at(10, ray.ray.origin.clone()), s = this.stage.project([at.x, at.y, at.z]);
    const p = this.#placed.find(q => Math.abs(s.x - q.x) < q.width / 2 && s.y < q.y && s.y > q.y - q.height);
    const person = p && this.#cast.byId.get(p.id);
    return person ? [{ ref: { kind: person.kind, id: person.id }, distance: 0, point: at }] : [];
  }

  dispose(): void {
    this.#stop();
    this.#measure.dispose();
    for (const e of [...this.#shown.values(), ...this.#spare]) e.root.remove();
    for (const b of this.#badges) b.remove();
  }

  /** Returns a number that changes when a person or the camera moves. */
  #fingerprint(): number {
    let n = this.#cast.version + this.stage.size.width * 3 + this.stage.size.height * 7;
    const m = this.stage.camera.matrixWorldInverse.elements, q = this.stage.camera.projectionMatrix.elements;
    for (let i = 0; i < 16; i++) n += m[i]! * (i + 1.7) + q[i]! * (i + 0.3);
    for (const p of this.#cast.people) n += p.x * (p.index + 1) + p.z * (p.index + 2.3) + p.pose.length * 0.37 * (p.index + 3);
    return n;
  }

  #collect(now: number): void {
    const { store, focus } = this.deps;
    const selected = focus.selected.peek()?.id, hovered = focus.hovered.peek()?.id, me = store.me.peek();
    const decisions = store.decisions.peek(), chats = store.chats.peek(), statuses = store.status.peek();
    const lines = kickoffLines({ feed: store.feed.peek(), projects: store.projects.peek(), agents: store.agents.peek(), streams: store.streams.peek() }, now);
    this.#aim();
    this.#more = offStage(store.agents.peek(), this.stage.manifest);
    this.#speech.clear();
    this.#heads.clear();
    this.#tags.length = 0;
    for (const p of this.#cast.people) {
      if (p.leftAt > 0 || !this.#project(p)) continue;
      const attended = p.id === selected ? 2 : p.id === hovered ? 1 : 0;
      if (attended === 0 && (this.stage.distant || (p.perch >= 0 && focus.zoomLevel.peek() !== 'person'))) continue;
      const speech = speechOf(p, { decisions, chats, statuses, now, attended: attended > 0, lines, celebrated: focus.finale.peek() !== null, desk: attended > 0 ? deskWords(store.desks.peek().get(p.id) ?? {}) : [] });
      if (speech) this.#speech.set(p.id, speech);
      const tag: Tag = {
        id: p.id, x: this.#at.x, y: this.#at.y,
        rank: rankOf(p, attended, p.id === me, speech !== null),
        pillWidth: this.#measure.pill(nameOf(p, me), this.#wordFor(p, attended > 0)),
        bubble: speech ? this.#measure.bubble(speech.text) : null,
        ...(speech?.kind === 'ask' && { side: this.#side() }),
      };
      this.#tags.push(tag);
      this.#heads.set(p.id, tag);
    }
  }

  #wordFor(p: Person, attended: boolean): string {
    if (p.id === this.deps.store.me.peek()) return '';
    const more = this.#more.get(p.id)?.length;
    if (p.pose === 'ask') return more ? `${wordOf(p)} · ${more} more` : wordOf(p);
    return attended ? wordOf(p) : placeOf(p);
  }

  /** Returns the offset from the point above a head to a bubble next to the head, in CSS pixels. */
  #side(): { away: number; down: number } {
    const { camera, size } = this.stage, metre = size.height / (2 * Math.tan((camera.fov * Math.PI) / 360) * camera.position.length());
    return { away: 0.36 * metre + 12, down: 0.34 * metre };
  }

  #show(placed: readonly PlacedLabel[], crowded: readonly Crowded[]): void {
    const keep = new Set(placed.map(p => p.id));
    for (const [id, e] of this.#shown) if (!keep.has(id)) { e.root.hidden = true; this.#shown.delete(id); this.#spare.push(e); }
    for (const at of placed) this.#put(at);
    for (let i = 0; i < Math.max(crowded.length, this.#badges.length); i++) {
      const c = crowded[i], b = this.#badges[i] ?? (this.#badges[i] = this.el.appendChild(crowdElement()));
      b.hidden = !c;
      if (!c) continue;
      b.lastChild!.textContent = say.people(c.count);
      b.style.width = `${c.width}px`;
      b.style.transform = `translate(${(c.x - c.width / 2).toFixed(1)}px,${(c.y - pillHeight).toFixed(1)}px)`;
    }
  }

  #put(at: PlacedLabel): void {
    const p = this.#cast.byId.get(at.id)!, { store, focus } = this.deps;
    let e = this.#shown.get(at.id);
    if (!e) {
      e = this.#spare.pop() ?? new LabelElement(this.el);
      e.root.hidden = false;
      this.#shown.set(at.id, e);
    }
    const mark = markOf(p), me = store.me.peek(), attended = p.id === focus.selected.peek()?.id || p.id === focus.hovered.peek()?.id;
    const task = p.view?.task_id && (p.pose === 'type' || p.pose === 'read' || p.pose === 'think') ? store.tasks.peek().find(t => t.task_id === p.view!.task_id) : undefined;
    e.set({
      name: nameOf(p, me), mark, color: p.kind === 'player' ? markColors.walk : markColors[p.pose], word: this.#wordFor(p, attended), part: task?.percent ?? 0,
      speech: at.mode === 'pill' || at.mode === 'icon' ? null : this.#speech.get(p.id) ?? null, side: at.mode === 'right' || at.mode === 'left' ? at.mode : '', small: at.mode === 'icon', chosen: attended, own: p.id === me, badge: p.view?.source ? badgeColor(p.view.from) : '',
    });
    e.move(at.x, at.y, p.z + p.x);
  }
}

const markOf = (p: Person): Mark => (p.kind === 'player' ? 'player' : p.pose);
// Hooks report that a guest is working, but not that it is writing.
const wordOf = (p: Person): string => (p.view?.source && p.pose === 'type' ? say.activities.working.toLowerCase() : markWord(markOf(p)));
const nameOf = (p: Person, me: string): string => (p.id === me ? say.you : (tagName(p.name) || p.id) + (p.more > 0 ? ` +${p.more}` : ''));
