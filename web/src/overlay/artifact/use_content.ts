import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Artifact } from '../../contracts/protocol.gen.ts';
import { useOffice } from '../office.ts';
import type { Content } from './content.ts';

/** Loads the content of a version. Returns the content or the error; both are null while it loads. */
export function useContent(artifact: Artifact | undefined): { content: Content | null; error: string | null } {
  const { contents } = useOffice();
  const state = useSignal<{ id: string; content: Content | null; error: string | null } | null>(null);
  const id = artifact?.artifact_id;
  useEffect(() => {
    if (!artifact || id === undefined) return;
    const stop = new AbortController();
    contents.read(artifact, stop.signal).then(
      (content) => (state.value = { id, content, error: null }),
      (e: unknown) => {
        if (!stop.signal.aborted) state.value = { id, content: null, error: e instanceof Error ? e.message : String(e) };
      },
    );
    return () => stop.abort();
  }, [id]);
  return state.value && state.value.id === id ? state.value : { content: null, error: null };
}
