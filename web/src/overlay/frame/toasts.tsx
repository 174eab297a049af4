import { CircleAlert, CircleCheck, Info, X } from 'lucide';
import { useEffect } from 'preact/hooks';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { UndoCards } from '../needs/undo.tsx';
import { useOffice } from '../office.ts';
import type { Toast } from '../shell.ts';

const SHOWN_MS = 5000;
const SHOWN_BAD_MS = 12_000;
const icons = { good: CircleCheck, bad: CircleAlert, plain: Info };

/** Short messages that disappear by themselves. */
export function Toasts() {
  const { shell } = useOffice();
  return (
    <div class="toasts" role="status" aria-live="polite">
      <UndoCards />
      {shell.toasts.value.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const { shell } = useOffice();
  useEffect(() => {
    const timer = setTimeout(() => shell.dismiss(toast.id), toast.tone === 'bad' ? SHOWN_BAD_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast.id]);
  return (
    <div class={`card toast toast-${toast.tone}`}>
      <Icon of={icons[toast.tone]} />
      <Words>{toast.text}</Words>
      <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => shell.dismiss(toast.id)}>
        <Icon of={X} size={14} />
      </button>
    </div>
  );
}
