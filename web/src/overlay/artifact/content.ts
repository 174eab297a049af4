import type { Artifact } from '../../contracts/protocol.gen.ts';
import { refusalWords } from '../kit/api.ts';
import * as say from '../../contracts/words.gen.ts';
import type { Store } from '../../world/store.ts';

export type Content = { kind: 'text'; text: string } | { kind: 'image'; blob: Blob } | { kind: 'other'; bytes: number };

const KEPT = 8;

export const contentPath = (id: string): string => `/v1/artifacts/${encodeURIComponent(id)}/content`;

/**
 * Reads the content of versions and caches it for recently opened ones. A reset of the store clears the cache,
 * because a redaction may have erased cached content.
 */
export class Contents {
  /** Content by path. A reset replaces the map, so that a read in progress adds its content to the old map. */
  private kept = new Map<string, Content>();

  constructor({ resets }: Store) {
    resets.subscribe(() => {
      this.kept = new Map();
    });
  }

  /**
   * Returns the content of a version; throws if the server refuses. Only content with an image MIME type is treated as
   * an image.
   */
  async read(artifact: Artifact, stop?: AbortSignal): Promise<Content> {
    return this.get(contentPath(artifact.artifact_id), stop, async (reply) => {
      if (!reply.ok) throw new Error(say.contentFailed(await refusalWords(reply)));
      return decode(artifact, reply);
    });
  }

  /**
   * Returns what changed between two versions of a patch, as a unified diff; throws an error with the office's reason
   * if the office refuses.
   */
  async changes(before: Artifact, after: Artifact, stop?: AbortSignal): Promise<Content> {
    const path = `/v1/artifacts/${encodeURIComponent(after.artifact_id)}/changes?since=${encodeURIComponent(before.artifact_id)}`;
    return this.get(path, stop, async (reply) => {
      if (!reply.ok) throw new Error(await refusalWords(reply));
      return { kind: 'text', text: await reply.text() };
    });
  }

  private async get(path: string, stop: AbortSignal | undefined, read: (reply: Response) => Promise<Content>): Promise<Content> {
    const { kept } = this;
    const had = kept.get(path);
    if (had) return had;
    const content = await read(await fetch(path, { credentials: 'same-origin', ...(stop && { signal: stop }) }));
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value!);
    kept.set(path, content);
    return content;
  }
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

/** Reports whether a deliverable is a patch. */
export const isPatch = ({ mime = '' }: Pick<Artifact, 'mime'>): boolean => /^text\/x-(diff|patch)\b/.test(mime);
