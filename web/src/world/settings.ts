import { effect, signal, type Signal } from '@preact/signals';

/** Where choices are kept: () => localStorage in a browser, which may throw. */
export type Drawer = () => { getItem(key: string): string | null; setItem(key: string, value: string): void };

export type Theme = 'auto' | 'day' | 'night';
export type MotionChoice = 'auto' | 'full' | 'reduced';
export type LabelChoice = 'auto' | 'all' | 'off';
/** How many rows of activity are shown. */
export type RowsChoice = 'auto' | '25' | '100' | '200';
export type Quality = 'auto' | 'high' | 'low' | 'test';

const choices = {
  theme: ['auto', 'day', 'night'],
  motion: ['auto', 'full', 'reduced'],
  labels: ['auto', 'all', 'off'],
  rows: ['auto', '25', '100', '200'],
  quality: ['auto', 'high', 'low', 'test'],
} as const;

/** What the person chose. A choice in the address (?quality=low) wins and is not kept. */
export class Settings {
  readonly theme: Signal<Theme>;
  readonly sound: Signal<boolean>;
  readonly notify: Signal<boolean>;
  /** The plan of a request waits for the person. */
  readonly planFirst: Signal<boolean>;
  readonly motion: Signal<MotionChoice>;
  readonly labels: Signal<LabelChoice>;
  readonly rows: Signal<RowsChoice>;
  readonly quality: Signal<Quality>;

  constructor(drawer: Drawer | null, query: string) {
    const asked = new URLSearchParams(query);
    this.theme = pick<Theme>(drawer, asked, 'theme');
    this.motion = pick<MotionChoice>(drawer, asked, 'motion');
    this.labels = pick<LabelChoice>(drawer, asked, 'labels');
    this.rows = pick<RowsChoice>(drawer, asked, 'rows');
    this.quality = pick<Quality>(drawer, asked, 'quality');
    this.sound = flag(drawer, 'sound');
    this.notify = flag(drawer, 'notify');
    this.planFirst = flag(drawer, 'planFirst');
  }
}

function pick<T extends string>(drawer: Drawer | null, asked: URLSearchParams, name: keyof typeof choices): Signal<T> {
  const allowed: readonly string[] = choices[name];
  const inAddress = asked.get(name);
  if (inAddress !== null && allowed.includes(inAddress)) return signal(inAddress as T);
  const kept = read(drawer, name);
  return keep(drawer, name, signal((kept !== null && allowed.includes(kept) ? kept : 'auto') as T));
}

function flag(drawer: Drawer | null, name: string): Signal<boolean> {
  const chosen = signal(read(drawer, name) === 'true');
  keep(drawer, name, chosen);
  return chosen;
}

function keep<S extends Signal<unknown>>(drawer: Drawer | null, name: string, chosen: S): S {
  let first = true;
  effect(() => {
    const value = String(chosen.value);
    if (!first) write(drawer, name, value);
    first = false;
  });
  return chosen;
}

// A browser may refuse its storage (private windows); the choice then lasts as long as the page.
function read(drawer: Drawer | null, name: string): string | null {
  try {
    return drawer?.().getItem(`bullpen.${name}`) ?? null;
  } catch {
    return null;
  }
}

function write(drawer: Drawer | null, name: string, value: string): void {
  try {
    drawer?.().setItem(`bullpen.${name}`, value);
  } catch {
    // As above.
  }
}
