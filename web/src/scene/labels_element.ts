import { Users, createElement } from 'lucide';
import { icon, type Mark } from './labels_icon.ts';
import type { Speech } from './labels_text.ts';

export interface LabelLook {
  name: string;
  mark: Mark;
  color: string;
  /** An optional word next to the name. */
  word: string;
  /** The progress of the task in percent; 0 and 100 are not shown. */
  part: number;
  speech: Speech | null;
  /** The side of the head that the bubble is on; empty if the bubble is above the head. */
  side: '' | 'left' | 'right';
  small: boolean;
  chosen: boolean;
  own: boolean;
  /** The colour of a guest's lanyard; empty for everyone else. */
  badge: string;
}

/** One label on the page. Labels are reused, and only changes are written to the DOM. */
export class LabelElement {
  readonly root = document.createElement('div');
  readonly #say = document.createElement('div');
  readonly #mark = document.createElement('i');
  readonly #name = document.createElement('b');
  readonly #word = document.createElement('span');
  #key = '';
  #shape: Mark | '' = '';
  #at = '';

  constructor(parent: HTMLElement) {
    const pill = document.createElement('div');
    pill.className = 'plate-bar';
    this.#word.className = 'word';
    for (const e of [this.#say, this.#name, this.#word]) e.dir = 'auto';
    pill.append(this.#mark, this.#name, this.#word);
    this.root.append(this.#say, pill);
    parent.append(this.root);
  }

  set(l: LabelLook): void {
    const key = `${l.name}\n${l.mark}\n${l.word}\n${l.part}\n${l.speech?.kind}\n${l.speech?.text}\n${l.side}${l.small}${l.chosen}${l.own}${l.badge}`;
    if (key === this.#key) return;
    this.#key = key;
    this.#name.textContent = l.name;
    this.#word.textContent = l.word;
    this.#say.hidden = !l.speech;
    this.#say.textContent = l.speech?.text ?? '';
    this.#say.className = `speech ${l.speech?.kind ?? ''}`;
    if (this.#shape !== l.mark) { this.#mark.replaceChildren(icon(l.mark)); this.#shape = l.mark; }
    this.#mark.className = l.part > 0 && l.part < 100 ? 'mark part' : 'mark';
    this.#mark.style.setProperty('--mark', l.color);
    this.#mark.style.setProperty('--part', String(l.part));
    this.root.style.setProperty('--badge', l.badge || 'transparent');
    const flags = [l.side !== '' && `at-${l.side}`, l.badge !== '' && 'guest', l.small && 'terse', l.chosen && 'chosen', l.mark === 'ask' && 'needy', l.own && 'own', l.mark === 'offline' && 'away', l.word !== '' && !l.small && 'wordy'];
    this.root.className = ['plate', ...flags.filter(Boolean)].join(' ');
  }

  /** Moves the label; x, y is its bottom centre. Nearer labels are on top. */
  move(x: number, y: number, near: number): void {
    const at = `translate(-50%,-100%) translate(${x.toFixed(1)}px,${y.toFixed(1)}px)`;
    if (at === this.#at) return;
    this.#at = at;
    this.root.style.transform = at;
    this.root.style.zIndex = String(100 + Math.round(near * 10));
  }
}

export function crowdElement(): HTMLElement {
  const e = document.createElement('div');
  e.className = 'crowd';
  e.append(createElement(Users, { width: 13, height: 13 }), document.createElement('span'));
  return e;
}
