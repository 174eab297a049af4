import { CircleAlert, CircleCheck, Info } from 'lucide';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';

const icons = { plain: Info, good: CircleCheck, bad: CircleAlert };

/** A message that a workflow shows to the person. */
export function Notice({ title, text, tone = 'plain', onClose }: { title?: string; text: string; tone?: 'plain' | 'good' | 'bad'; onClose?: () => void }) {
  return (
    <div class={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon of={icons[tone]} />
      <div>
        {title && (
          <p class="strong">
            <Words>{title}</Words>
          </p>
        )}
        <p>
          <Words>{text}</Words>
        </p>
      </div>
      {onClose && (
        <button type="button" class="button small" onClick={onClose}>
          Dismiss
        </button>
      )}
    </div>
  );
}
