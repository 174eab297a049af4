/** Fetches JSON from the office's HTTP API. Throws an Error with the office's message, which is shown to the user. */
export async function readJson(path: string, method?: 'POST'): Promise<unknown> {
  const reply = await fetch(path, { credentials: 'same-origin', ...(method && { method }) });
  if (!reply.ok) throw new Error(await refusalWords(reply));
  return reply.json().catch(() => null);
}

/** Returns the office's message in a response that is not OK. */
export async function refusalWords(reply: Response): Promise<string> {
  const said: unknown = await reply.json().catch(() => null);
  const message = (said as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : `The office returned an error (HTTP ${reply.status}). Try again.`;
}

/** Returns the message of a caught value, which need not be an Error. */
export const errorWords = (e: unknown): string => (e instanceof Error ? e.message : String(e));
