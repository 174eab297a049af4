/** What the link needs of a WebSocket. */
export interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  onopen: (() => void) | null;
  onmessage: ((e: { data: unknown }) => void) | null;
  onclose: ((e: { code: number; reason: string }) => void) | null;
}

/** An answer to a GET: its status and its JSON, null when there is none. */
export interface Fetched {
  status: number;
  body: unknown;
}

/** What lies around the link; tests bring their own. */
export interface Surroundings {
  open(): Socket;
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
  /** Calls back when it is worth trying again at once: the network or the person is back. */
  onReturn(retry: () => void): () => void;
}

/** The browser's. */
export function browser(build: string): Surroundings {
  return {
    open: () => new WebSocket(new URL('/ws/world', location.href.replace(/^http/, 'ws'))) as Socket,
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
  window.addEventListener('online', retry);
  window.addEventListener('pageshow', retry);
  document.addEventListener('visibilitychange', seen);
  return () => {
    window.removeEventListener('online', retry);
    window.removeEventListener('pageshow', retry);
    document.removeEventListener('visibilitychange', seen);
  };
}
