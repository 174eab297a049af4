import { effect, signal, type Signal } from '@preact/signals';

/** Returns the storage for settings, such as localStorage; the call may throw. */
export type OpenStorage = () => { getItem(key: string): string | null; setItem(key: string, value: string): void };

export type Theme = 'auto' | 'day' | 'night';
export type MotionChoice = 'auto' | 'full' | 'reduced';
export type LabelChoice = 'auto' | 'all' | 'off';
/** The number of activity rows shown. */
export type RowsChoice = 'auto' | '25' | '100' | '200';
export type Quality = 'auto' | 'high' | 'low' | 'test';

const choices = {
  theme: ['auto', 'day', 'night'],
  motion: ['auto', 'full', 'reduced'],
  labels: ['auto', 'all', 'off'],
  rows: ['auto', '25', '100', '200'],
  quality: ['auto', 'high', 'low', 'test'],
} as const;

/** The user's settings. A value in the URL (?quality=low) takes precedence and is not stored. */
export class Settings {
  readonly theme: Signal<Theme>;
  readonly sound: Signal<boolean>;
  readonly notify: Signal<boolean>;
  /** Whether a request's plan waits for approval. */
  readonly planFirst: Signal<boolean>;
  readonly motion: Signal<MotionChoice>;
  readonly labels: Signal<LabelChoice>;
  readonly rows: Signal<RowsChoice>;
  readonly quality: Signal<Quality>;
  /** The room of the campus that the camera showed last: its id, "" for the house, or "campus" for everything. */
  readonly room: Signal<string>;

  constructor(storage: OpenStorage | null, query: string) {
    const asked = new URLSearchParams(query);
    this.theme = pick<Theme>(storage, asked, 'theme');
    this.motion = pick<MotionChoice>(storage, asked, 'motion');
    this.labels = pick<LabelChoice>(storage, asked, 'labels');
    this.rows = pick<RowsChoice>(storage, asked, 'rows');
    this.quality = pick<Quality>(storage, asked, 'quality');
    this.room = keep(storage, 'room', signal(read(storage, 'room') ?? 'campus'));
    this.sound = flag(storage, 'sound');
    this.notify = flag(storage, 'notify');
    this.planFirst = flag(storage, 'planFirst');
  }
}

function pick<T extends string>(storage: OpenStorage | null, asked: URLSearchParams, name: keyof typeof choices): Signal<T> {
  const allowed: readonly string[] = choices[name];
  const inAddress = asked.get(name);
  if (inAddress !== null && allowed.includes(inAddress)) return signal(inAddress as T);
  const kept = read(storage, name);
  return keep(storage, name, signal((kept !== null && allowed.includes(kept) ? kept : 'auto') as T));
}

function flag(storage: OpenStorage | null, name: string): Signal<boolean> {
  const chosen = signal(read(storage, name) === 'true');
  keep(storage, name, chosen);
  return chosen;
}

function keep<S extends Signal<unknown>>(storage: OpenStorage | null, name: string, chosen: S): S {
  let first = true;
  effect(() => {
    const value = String(chosen.value);
    if (!first) write(storage, name, value);
    first = false;
  });
  return chosen;
}

// Returns a stored setting, or null. Browsers may block storage; settings then last as long as the page.
function read(storage: OpenStorage | null, name: string): string | null {
  try {
    return storage?.().getItem(`bullpen.${name}`) ?? null;
  } catch {
    return null;
  }
}

function write(storage: OpenStorage | null, name: string, value: string): void {
  try {
    storage?.().setItem(`bullpen.${name}`, value);
  } catch {
    // Storage may be blocked; see read.
  }
}
