import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { askToNotify } from '../../sound/notify.ts';
import { Dialog } from '../kit/dialog.tsx';
import { useOffice } from '../office.ts';
import { Rules } from './rules.tsx';

/** The dialog for the user's settings. */
export function SettingsDialog() {
  const { shell, settings } = useOffice();
  return (
    <Dialog title="Settings" label="Settings" class="small-dialog" onClose={() => (shell.dialog.value = null)}>
      <Choice label="Light" of={settings.theme} options={[['auto', 'By time of day'], ['day', 'Day'], ['night', 'Night']]} />
      <Choice label="Motion" of={settings.motion} options={[['auto', 'Same as system'], ['full', 'Full'], ['reduced', 'Reduced']]} />
      <Choice label="Name tags" of={settings.labels} options={[['auto', 'Where they fit'], ['all', 'All'], ['off', 'Off']]} />
      <Choice label="Activity rows" of={settings.rows} options={[['25', '25'], ['auto', '50'], ['100', '100'], ['200', '200']]} />
      <Choice label="Graphics" of={settings.quality} options={[['auto', 'Automatic'], ['high', 'High'], ['low', 'Low']]} />
      <Switch label="Sound" note="Quiet office sounds." of={settings.sound} />
      <Notifications />
      <Rules />
      {!shell.listOnly.value && (
        <button type="button" class="button" onClick={() => ((shell.textChosen.value = !shell.textChosen.value), (shell.dialog.value = null))}>
          {shell.textChosen.value ? 'Back to the room' : 'Use the text view'}
        </button>
      )}
    </Dialog>
  );
}

function Choice<T extends string>({ label, of, options }: { label: string; of: Signal<T>; options: readonly (readonly [T, string])[] }) {
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {options.map(([value, words]) => (
        <button key={value} type="button" class="pill" aria-pressed={of.value === value} onClick={() => (of.value = value)}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}

function Switch({ label, note, of }: { label: string; note: string; of: Signal<boolean> }) {
  return (
    <label class="switch">
      <input type="checkbox" checked={of.value} onChange={(e) => (of.value = e.currentTarget.checked)} />
      <span>
        <span class="strong">{label}</span>
        <span class="soft small block">{note}</span>
      </span>
    </label>
  );
}

/** The switch for notifications; disabled if the browser blocks them or does not support them. */
function Notifications() {
  const { settings } = useOffice();
  const permission = useSignal(typeof Notification === 'undefined' ? 'unsupported' : Notification.permission);
  const ask = async (on: boolean) => {
    if (!on) settings.notify.value = false;
    else {
      await askToNotify(settings);
      permission.value = Notification.permission;
    }
  };
  const notes: Record<string, string> = {
    unsupported: 'This browser does not support notifications.',
    denied: 'Your browser is blocking notifications; allow them in the site settings.',
  };
  const off = permission.value === 'unsupported' || permission.value === 'denied';
  return (
    <label class="switch">
      <input type="checkbox" checked={settings.notify.value && permission.value === 'granted'} disabled={off} onChange={(e) => void ask(e.currentTarget.checked)} />
      <span>
        <span class="strong">Notifications</span>
        <span class="soft small block">{notes[permission.value] ?? 'When something needs you and this page is hidden.'}</span>
      </span>
    </label>
  );
}
