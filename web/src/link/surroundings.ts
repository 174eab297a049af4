/** An open line. After close nothing is heard from it. */
export interface Line {
  send(text: string): void;
  close(code: number): void;
}

/** Who listens on a line. */
export interface Ears {
  opened(): void;
  heard(text: unknown): void;
  closed(code: number): void;
}

/** An answer to a GET: its status and its JSON, null when there is none. */
export interface Fetched {
  status: number;
  body: unknown;
}

/** What lies around the link; tests bring their own. */
export interface Surroundings {
  open(ears: Ears): Line;
  get(path: string): Promise<Fetched>;
  /** Local time in ms. */
  now(): number;
  /** 0 to 1. */
  random(): number;
  /** A fresh id. */
  id(): string;
  /** Stable for this tab, reloads included: the scope of its command ids. */
  tab: string;
  build: string;
  /** Calls back when it is worth retrying immediately: the network or the person is back. */
  onReturn(retry: () => void): () => void;
  /** Calls back when the network seems to be gone. */
  onDoubt(check: () => void): () => void;
}

/** The browser's. */
export function browser(build: string): Surroundings {
  return {
    open: openSocket,
    get: async (path) => {
      const answer = await fetch(path, { headers: { accept: 'application/json' } });
      return { status: answer.status, body: answer.ok ? ((await answer.json()) as unknown) : null };
    },
    now: () => Date.now(),
    random: () => Math.random(),
    id: uuid,
    tab: tabId(),
    build,
    onReturn,
    onDoubt,
  };
}

function openSocket(ears: Ears): Line {
  const socket = new WebSocket(new URL('/ws/world', location.href.replace(/^http/, 'ws')));
  const deaf = new AbortController();
  const { signal } = deaf;
  socket.addEventListener('open', () => ears.opened(), { signal });
  socket.addEventListener('message', (e) => ears.heard(e.data), { signal });
  socket.addEventListener('close', (e) => ears.closed(e.code), { signal });
  return {
    send: (text) => socket.send(text),
    close: (code) => {
      deaf.abort();
      socket.close(code);
    },
  };
}

function tabId(): string {
  const key = 'bullpen.tab';
  try {
    const kept = sessionStorage.getItem(key);
    if (kept) return kept;
    const made = uuid();
    sessionStorage.setItem(key, made);
    return made;
  } catch {
    return uuid(); // No storage: stable until the reload.
  }
}

// crypto.randomUUID exists only on secure origins; an office in the local network may have none.
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}

function onReturn(retry: () => void): () => void {
  const seen = () => document.visibilityState === 'visible' && retry();
  // Every page is shown once when it loads; only one that comes out of the back/forward cache has returned.
  const shown = (e: PageTransitionEvent) => e.persisted && retry();
  window.addEventListener('online', retry);
  window.addEventListener('pageshow', shown);
  document.addEventListener('visibilitychange', seen);
  return () => {
    window.removeEventListener('online', retry);
    window.removeEventListener('pageshow', shown);
    document.removeEventListener('visibilitychange', seen);
  };
}

function onDoubt(check: () => void): () => void {
  window.addEventListener('offline', check);
  return () => window.removeEventListener('offline', check);
}
