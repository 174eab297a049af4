import type { Artifact } from '../../contracts/protocol.gen.ts';
import * as say from '../../contracts/words.gen.ts';

export type Content = { kind: 'text'; text: string } | { kind: 'image'; blob: Blob } | { kind: 'other'; bytes: number };

/** The content of recently opened versions, by artifact id. */
const kept = new Map<string, Content>();
const KEPT = 8;

export const contentPath = (id: string): string => `/v1/artifacts/${encodeURIComponent(id)}/content`;

/**
 * Returns the content of a version, from the cache or the server; throws if the server refuses. Only content with an
 * image MIME type is treated as an image.
 */
export async function readContent(artifact: Artifact, stop?: AbortSignal): Promise<Content> {
  const had = kept.get(artifact.artifact_id);
  if (had) return had;
  const reply = await fetch(contentPath(artifact.artifact_id), { credentials: 'same-origin', ...(stop && { signal: stop }) });
  if (!reply.ok) throw new Error(say.contentFailed(`HTTP ${reply.status}. Try again.`));
  const content = await decode(artifact, reply);
  if (kept.size >= KEPT) kept.delete(kept.keys().next().value!);
  kept.set(artifact.artifact_id, content);
  return content;
}

async function decode(artifact: Artifact, reply: Response): Promise<Content> {
  const mime = artifact.mime ?? '';
  if (mime.startsWith('image/')) return { kind: 'image', blob: new Blob([await reply.arrayBuffer()], { type: mime }) };
  if (isText(mime)) return { kind: 'text', text: await reply.text() };
  return { kind: 'other', bytes: (await reply.arrayBuffer()).byteLength };
}

/** Reports whether content of this type is shown as text. */
export function isText(mime: string): boolean {
  return mime === '' || mime.startsWith('text/') || /^application\/(json|xml|javascript|x-[\w-]+|[\w.-]+\+(json|xml))\b/.test(mime);
}

/** Clears the cache, for tests. */
export function forgetContent(): void {
  kept.clear();
}
