/** An open connection. After close(), no handler is called. */
export interface Connection {
  send(text: string): void;
  close(code: number): void;
}

/** The callbacks of a connection; `closed` receives the close code. */
export interface Handlers {
  opened(): void;
  received(text: unknown): void;
  closed(code: number): void;
}

/** The response to a GET: its status and its JSON body, which is null unless the request succeeded. */
export interface Fetched {
  status: number;
  body: unknown;
}

/** The network, clock and ids that the link uses; tests pass their own. */
export interface Environment {
  open(handlers: Handlers): Connection;
  get(path: string): Promise<Fetched>;
  /** Returns the time on this machine's clock, in ms since the epoch. */
  now(): number;
  /** Returns a random number that is at least 0 and less than 1. */
  random(): number;
  /** Returns a new unique id. */
  id(): string;
  /** The id of this tab, stable across reloads; command ids are unique within a tab. */
  tab: string;
  build: string;
  /** Calls retry when the network is back or the user returns to the page. Returns a function that unregisters it. */
  onResume(retry: () => void): () => void;
  /** Calls check when the network seems to be down. Returns a function that unregisters it. */
  onOffline(check: () => void): () => void;
}

/** Returns the environment of a browser tab. */
export function browser(build: string): Environment {
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
    onResume,
    onOffline,
  };
}

function openSocket(handlers: Handlers): Connection {
  const socket = new WebSocket(new URL('/ws/world', location.href.replace(/^http/, 'ws')));
  const listeners = new AbortController();
  const { signal } = listeners;
  socket.addEventListener('open', () => handlers.opened(), { signal });
  socket.addEventListener('message', (e) => handlers.received(e.data), { signal });
  socket.addEventListener('close', (e) => handlers.closed(e.code), { signal });
  return {
    send: (text) => socket.send(text),
    close: (code) => {
      listeners.abort();
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
    return uuid(); // Without storage the id lasts until the next reload.
  }
}

// Replaces crypto.randomUUID, which exists only on secure origins; an office on the local network may use plain HTTP.
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}

function onResume(retry: () => void): () => void {
  const seen = () => document.visibilityState === 'visible' && retry();
  // pageshow fires for every load; persisted means that the page came from the back/forward cache.
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

function onOffline(check: () => void): () => void {
  window.addEventListener('offline', check);
  return () => window.removeEventListener('offline', check);
}
