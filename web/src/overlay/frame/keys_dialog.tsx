import { Dialog } from '../kit/dialog.tsx';
import { keyHelp } from '../keys.ts';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Lists all shortcuts. */
export function KeysDialog() {
  const { shell } = useOffice();
  return (
    <Dialog title={say.viewKeys} label="Keyboard" class="small-dialog" onClose={() => (shell.dialog.value = null)}>
      <dl class="keys">
        {keyHelp.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <p class="soft small">Shortcuts are off while you type. Tab reaches everything; arrow keys scroll lists.</p>
    </Dialog>
  );
}
