/** Reads JSON from a door of the office. What it says when it refuses is what the person reads. */
export async function readDoor(path: string, method?: 'POST'): Promise<unknown> {
  const reply = await fetch(path, { credentials: 'same-origin', ...(method && { method }) });
  const said: unknown = await reply.json().catch(() => null);
  if (reply.ok) return said;
  const message = (said as { message?: unknown } | null)?.message;
  throw new Error(typeof message === 'string' ? message : `The office returned an error (HTTP ${reply.status}). Try again.`);
}

/** What went wrong, in words. */
export const faultWords = (e: unknown): string => (e instanceof Error ? e.message : String(e));
