import { SendHorizontal } from 'lucide';
import type { RefObject } from 'preact';
import { LIMIT_CHAT_TEXT } from '../../contracts/limits.gen.ts';
import { useComposer } from '../kit/composer.ts';
import { Icon } from '../kit/icon.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { TextBox } from '../kit/text_box.tsx';
import { useOffice } from '../office.ts';

/** A field that sends messages to a thread. */
export function SayBox({ thread, to, box }: { thread: string; to: string; box?: RefObject<HTMLTextAreaElement | null> }) {
  const { shell, say } = useOffice();
  const composer = useComposer(LIMIT_CHAT_TEXT, (text) => say(thread, text));
  const frozen = shell.frozen.value;
  return (
    <form
      class="say"
      aria-label={`Message to ${to}`}
      onSubmit={(e) => {
        e.preventDefault();
        void composer.submit();
      }}
    >
      <Refusal of={composer.refusal} />
      <div class="say-row">
        <TextBox
          label={`Message to ${to}`}
          placeholder={frozen ? 'Messages cannot be sent right now' : `Message ${to}…`}
          value={composer.text.value}
          locked={frozen !== null}
          {...(box && { box })}
          onInput={composer.onInput}
          onKeyDown={composer.onKeyDown}
        />
        {composer.near && (
          <span class={composer.over ? 'counter over' : 'counter'}>
            {composer.count} / {LIMIT_CHAT_TEXT}
          </span>
        )}
        <button type="submit" class="icon-button fill" aria-label="Send the message" title={frozen ?? 'Send (Enter)'} disabled={frozen !== null || composer.busy.value || composer.over || composer.text.value.trim() === ''}>
          <Icon of={SendHorizontal} />
        </button>
      </div>
    </form>
  );
}
