import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../kit/dialog.tsx';
import { errorWords } from '../kit/api.ts';
import { useOffice } from '../office.ts';
import type * as Sheet from './sheet.tsx';
import * as say from '../../contracts/words.gen.ts';

let sheet: typeof Sheet | null = null;

/** Shows the agents that can be connected. The sheet is loaded on demand, because it is rarely opened. */
export function ConnectDialog() {
  const { shell } = useOffice();
  const state = useSignal<'busy' | 'here' | { error: string }>(sheet ? 'here' : 'busy');
  useEffect(() => {
    if (sheet) return;
    import('./sheet.tsx').then(
      (loaded) => {
        sheet = loaded;
        state.value = 'here';
      },
      (e: unknown) => (state.value = { error: errorWords(e) }),
    );
  }, []);
  return (
    <Dialog title={say.viewConnect} label="Connect agents and models" class="connect-dialog" onClose={() => (shell.dialog.value = null)}>
      {sheet && state.value === 'here' ? <sheet.ConnectSheet /> : typeof state.value === 'object' ? <p class="refusal">{state.value.error}</p> : <p class="soft">{say.opening}</p>}
    </Dialog>
  );
}
