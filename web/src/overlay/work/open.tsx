import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import { errorWords } from '../kit/api.ts';
import type * as Viewer from './viewer.tsx';
import type { WorkProps } from './work.tsx';
import * as say from '../../contracts/words.gen.ts';

let viewer: typeof Viewer | null = null;

/** Loads the viewer on demand; the page starts without it. */
export async function loadViewer(): Promise<typeof Viewer> {
  return (viewer ??= await import('./viewer.tsx'));
}

/** A tool call as recorded. */
export interface Call {
  tool: string | undefined;
  args: unknown;
  result?: Readonly<Record<string, unknown>> | undefined;
}

type Rest = Omit<WorkProps, 'work'>;

/** Shows a tool call in the viewer. */
export function CallWork({ call, ...rest }: { call: Call } & Rest) {
  return <Loaded draw={({ CallWork: Draw }) => <Draw call={call} {...rest} />} />;
}

/** Loads the viewer, then renders with it; shows the error if loading fails. */
export function Loaded({ draw }: { draw: (viewer: typeof Viewer) => ComponentChild }) {
  const state = useSignal<'busy' | 'here' | { error: string }>(viewer ? 'here' : 'busy');
  useEffect(() => {
    loadViewer().then(
      () => (state.value = 'here'),
      (e: unknown) => (state.value = { error: errorWords(e) }),
    );
  }, []);
  if (viewer && state.value === 'here') return <>{draw(viewer)}</>;
  if (typeof state.value === 'object') {
    return (
      <p class="refusal" role="alert">
        The viewer could not be loaded. Reload the page. ({state.value.error})
      </p>
    );
  }
  return <p class="soft">{say.opening}</p>;
}
