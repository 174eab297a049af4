import type { Signal } from '@preact/signals';
import { Plus, X } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { LIMIT_ACCEPT, LIMIT_ACCEPT_LINE } from '../../contracts/limits.gen.ts';
import { Icon } from '../kit/icon.tsx';
import { NoPermit } from '../needs/no_permit.tsx';
import { permitReason } from '../needs/permission.ts';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** An acceptance check being written; `id` distinguishes rows of the same kind. */
export interface AcceptDraft {
  id: number;
  word: string;
  value: string;
}

const kindOf = (word: string) => say.acceptWords.find((k) => k.word === word)!;

/** Returns the acceptance checks in the format that the office accepts. */
export function acceptLines(drafts: readonly AcceptDraft[]): string[] {
  return drafts.map(({ word, value }) => (kindOf(word).example === '' ? word : `${word}: ${value.trim()}`));
}

/** Lets a person add acceptance checks to a request, and remove them. */
export function Accept({ chosen }: { chosen: Signal<readonly AcceptDraft[]> }) {
  const office = useOffice();
  const reason = permitReason(office, 'Adding acceptance checks');
  const off = reason !== null;
  const part = useRef<HTMLFieldSetElement>(null);
  const focus = useRef<string | null>(null);
  // A layout effect sets the focus before the next key press, so no letter is lost.
  useLayoutEffect(() => {
    if (focus.current === null) return;
    part.current?.querySelector<HTMLElement>(focus.current)?.focus();
    focus.current = null;
  });
  const add = (word: string) => {
    const id = Math.max(0, ...chosen.peek().map((d) => d.id)) + 1;
    chosen.value = [...chosen.peek(), { id, word, value: '' }];
    focus.current = `[data-accept="${id}"]`;
  };
  const remove = ({ id, word }: AcceptDraft) => {
    chosen.value = chosen.peek().filter((d) => d.id !== id);
    focus.current = `[data-add="${word}"]`;
  };
  const write = (id: number, value: string) => (chosen.value = chosen.peek().map((d) => (d.id === id ? { ...d, value } : d)));
  const full = chosen.value.length >= LIMIT_ACCEPT;
  return (
    <fieldset class="accept" ref={part}>
      <legend class="strong">{say.howDone}</legend>
      <p class="soft small">Each task must pass these acceptance checks too.</p>
      {chosen.value.map((draft) => {
        const { label, example } = kindOf(draft.word);
        if (example === '') return null;
        return (
          <div key={draft.id} class="accept-row">
            <label>
              <span class="small">{label}</span>
              <input
                class="field mono"
                data-accept={draft.id}
                placeholder={example}
                maxLength={LIMIT_ACCEPT_LINE - draft.word.length - 2}
                value={draft.value}
                autocomplete="off"
                spellcheck={false}
                onInput={(e) => write(draft.id, e.currentTarget.value)}
              />
            </label>
            <button type="button" class="icon-button tiny" aria-label={`Remove: ${label}`} title="Remove" onClick={() => remove(draft)}>
              <Icon of={X} size={15} />
            </button>
          </div>
        );
      })}
      <div class="accept-add">
        {say.acceptWords.map(({ word, label, example }) => {
          const chosenOnce = example === '' ? chosen.value.find((d) => d.word === word) : undefined;
          return (
            <button
              key={word}
              type="button"
              class="pill"
              data-add={word}
              aria-pressed={example === '' ? chosenOnce !== undefined : undefined}
              disabled={!chosenOnce && (off || full)}
              onClick={() => (chosenOnce ? remove(chosenOnce) : add(word))}
            >
              {example !== '' && <Icon of={Plus} size={13} />}
              {label}
            </button>
          );
        })}
      </div>
      {off && <NoPermit reason={reason} how={office.shell.frozen.value === null} />}
    </fieldset>
  );
}
