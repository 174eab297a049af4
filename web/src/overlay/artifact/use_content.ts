import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Artifact } from '../../contracts/protocol.gen.ts';
import { errorWords } from '../kit/api.ts';
import { useOffice } from '../office.ts';
import type { Content } from './content.ts';

/** The content or the error. Both are null while the content is loading. */
interface Loading {
  content: Content | null;
  error: string | null;
}

/** Loads the content of a version. */
export function useContent(artifact: Artifact | undefined): Loading {
  const { contents } = useOffice();
  return useLoading(artifact?.artifact_id, (stop) => contents.read(artifact!, stop));
}

/** Loads what changed between two versions of a patch. */
export function useChanges(before: Artifact, after: Artifact): Loading {
  const { contents } = useOffice();
  return useLoading(`${before.artifact_id} ${after.artifact_id}`, (stop) => contents.changes(before, after, stop));
}

function useLoading(id: string | undefined, read: (stop: AbortSignal) => Promise<Content>): Loading {
  const state = useSignal<(Loading & { id: string }) | null>(null);
  useEffect(() => {
    if (id === undefined) return;
    const stop = new AbortController();
    read(stop.signal).then(
      (content) => (state.value = { id, content, error: null }),
      (e: unknown) => {
        if (!stop.signal.aborted) state.value = { id, content: null, error: errorWords(e) };
      },
    );
    return () => stop.abort();
  }, [id]);
  return state.value && state.value.id === id ? state.value : { content: null, error: null };
}
