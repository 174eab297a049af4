import { effect } from '@preact/signals';
import type { Vec3 } from '../contracts/protocol.gen.ts';
import { accents } from '../look/accents.ts';
import { nobody, tallyParts, tallyRooms, type Placed, type Tally } from '../world/campus.ts';
import type { Box } from '../world/focus.ts';
import { spread } from './campus_strips_layout.ts';
import type { RoomDeps } from './deps.ts';
import { icon } from './labels_icon.ts';
import type { Stage } from './layer.ts';
import { castOf } from './people_cast.ts';
import { offStage } from './staging.ts';
import '../look/campus.css';

/** With more rooms than this, strips do not show how many agents are working or waiting. */
const wordy = 7;
/** The height of a pin over a person, in metres. */
const pinHeight = 1.75;

/** The labels of a distant campus: a strip with each room's counts, and a pin over each agent that needs a person. */
export class Strips {
  #placed: readonly Placed[] = [];
  #strips = new Map<string, { el: HTMLElement; text: string }>();
  readonly #pins: HTMLElement[] = [];
  /** The other agents that a pin represents, by the id of the pin's own agent; #counted contains all of them. */
  #more: ReadonlyMap<string, readonly string[]> = new Map();
  #counted: ReadonlySet<string> = new Set();
  readonly #stop: () => void;

  constructor(readonly stage: Stage, readonly el: HTMLElement, readonly deps: RoomDeps) {
    this.#stop = effect(() => { void deps.store.agents.value; this.#count(); stage.invalidate(); });
  }

  set(placed: readonly Placed[]): void {
    this.#placed = placed.filter(p => p.id !== 'garden');
    this.el.classList.toggle('many-rooms', this.#placed.length > wordy);
    for (const [id, { el }] of this.#strips) {
      if (this.#placed.some(p => p.id === id)) continue;
      el.remove();
      this.#strips.delete(id);
    }
    for (const p of this.#placed) {
      if (this.#strips.has(p.id)) continue;
      const el = this.el.appendChild(document.createElement('div'));
      el.className = 'strip';
      el.style.setProperty('--hue', accents[p.room?.accent ?? 'teal']?.[0] ?? '');
      el.addEventListener('click', () => { this.deps.focus.lookAt.value = { kind: 'studio', id: p.id }; });
      this.#strips.set(p.id, { el, text: '' });
    }
    this.#count();
  }

  /** Moves strips and pins along with the camera. */
  update(): void {
    const { distant } = this.stage, at = this.deps.focus.room.peek(), people = castOf(this.stage).people;
    const shown = this.#placed.flatMap(p => {
      const { el } = this.#strips.get(p.id)!, s = this.stage.project(frontCorner(p, this.stage.camera.position));
      el.hidden = !s.visible || !(distant || (this.deps.focus.zoomLevel.peek() === 'studio' && at !== p.id));
      return el.hidden ? [] : [{ el, s }];
    });
    // The strips in front keep their places. All are measured before any is moved, so that the page is laid out only
    // once.
    const boxes = shown.sort((a, b) => b.s.y - a.s.y).map(({ el, s }) => this.#boxOf(el, s));
    this.stage.strips = spread(boxes, this.deps.focus.cards.peek()).map((by, i) => {
      const b = boxes[i]!, top = b.top + by;
      shown[i]!.el.style.transform = `translate(${b.left.toFixed(1)}px,${top.toFixed(1)}px)`;
      return { ...b, top, bottom: b.bottom + by };
    });
    let n = 0;
    if (distant) for (const p of people) {
      if (p.pose !== 'ask' || this.#counted.has(p.id)) continue;
      const s = this.stage.project([p.x, pinHeight, p.z]), pin = this.#pins[n] ??= this.#newPin();
      if (!s.visible) continue;
      pin.hidden = false;
      const more = this.#more.get(p.id)?.length;
      pin.dataset['more'] = more ? `+${more}` : '';
      pin.style.transform = `translate(-50%,-100%) translate(${s.x.toFixed(1)}px,${s.y.toFixed(1)}px)`;
      n++;
    }
    for (; n < this.#pins.length; n++) this.#pins[n]!.hidden = true;
  }

  dispose(): void {
    this.#stop();
    this.stage.strips = [];
    this.el.classList.remove('many-rooms');
    for (const { el } of this.#strips.values()) el.remove();
    for (const pin of this.#pins) pin.remove();
  }

  /** Returns where a strip is drawn: below its corner of the room, and not beyond the left or right edge. */
  #boxOf(el: HTMLElement, s: { x: number; y: number }): Box {
    const w = el.offsetWidth, h = el.offsetHeight, left = Math.max(0, Math.min(s.x - w / 2, this.stage.size.width - w)), top = s.y - h / 5;
    return { left, top, right: left + w, bottom: top + h };
  }

  #newPin(): HTMLElement {
    const pin = this.el.appendChild(document.createElement('div'));
    pin.className = 'pin';
    pin.append(icon('ask'));
    return pin;
  }

  #count(): void {
    const agents = this.deps.store.agents.peek(), tally = tallyRooms(agents);
    this.#more = offStage(agents, this.stage.manifest);
    this.#counted = new Set([...this.#more.values()].flat());
    for (const p of this.#placed) {
      const strip = this.#strips.get(p.id)!, t = tally.get(p.id) ?? nobody;
      const text = JSON.stringify([p.label, t]);
      if (text === strip.text) continue;
      strip.text = text;
      strip.el.classList.toggle('strip-need', t.needing > 0);
      strip.el.replaceChildren(...stripContent(p.label, t));
    }
  }
}

/** Returns the corner of a room's floor that is nearest to the camera. */
function frontCorner({ x, z, manifest: { room } }: Placed, eye: { x: number; z: number }): Vec3 {
  return [x + Math.sign(eye.x - x) * (room.w / 2 - 0.2), 0, z + Math.sign(eye.z - z) * (room.d / 2 - 0.2)];
}

function stripContent(label: string, t: Tally): HTMLElement[] {
  const make = (tag: string, name: string, text = '') => Object.assign(document.createElement(tag), { className: name, textContent: text });
  const head = make('div', 'strip-head'), bar = make('i', 'strip-bar');
  head.append(make('b', '', label));
  for (const [part, n, words] of tallyParts(t)) {
    head.append(make('span', `strip-${part}`, words));
    bar.append(make('i', `strip-${part}`));
    (bar.lastChild as HTMLElement).style.flexGrow = String(n);
  }
  return [head, bar];
}
