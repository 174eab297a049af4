import { signal, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { CommandReply } from '../../world/send.ts';
import { useOffice } from '../office.ts';

const trimmed = (text: string): string => text.trim();

/** Text being written, and the state of sending it. */
export interface Draft {
  text: Signal<string>;
  refusal: Signal<Refused | null>;
  busy: Signal<boolean>;
}

export const newDraft = (): Draft => ({ text: signal(''), refusal: signal(null), busy: signal(false) });

export interface Composer extends Draft {
  count: number;
  near: boolean;
  over: boolean;
  submit: () => Promise<void>;
  onInput: (e: Event) => void;
  onKeyDown: (e: KeyboardEvent) => void;
}

export interface Refused {
  message: string;
  /** Local time after which the command may be retried. */
  retryAt?: number;
}

/**
 * Manages the text of a field and sends it. Refused text stays in the field; a draft that is passed in also survives
 * unmounting. `whole` turns the text in the field into the text to send; the limit applies to the resulting text.
 */
export function useComposer(limit: number, send: (text: string) => Promise<CommandReply>, draft?: Draft, whole: (text: string) => string = trimmed): Composer {
  const { shell } = useOffice();
  const { text, refusal, busy } = useMemo(() => draft ?? newDraft(), [draft]);
  // The server counts characters, not UTF-16 code units.
  const count = [...whole(text.value)].length;
  const submit = async () => {
    const said = whole(text.peek());
    if (said === '' || busy.peek() || shell.frozen.peek() !== null || [...said].length > limit) return;
    busy.value = true;
    const reply = await send(said);
    busy.value = false;
    refusal.value = reply.ok ? null : refused(reply);
    if (reply.ok) text.value = '';
  };
  return {
    text,
    refusal,
    busy,
    count,
    near: count > limit * 0.8,
    over: count > limit,
    submit,
    onInput: (e) => {
      text.value = (e.currentTarget as HTMLTextAreaElement).value;
    },
    onKeyDown: (e) => {
      if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
      e.preventDefault();
      void submit();
    },
  };
}

export function refused(reply: Extract<CommandReply, { ok: false }>): Refused {
  return { message: reply.message, ...(reply.retry_after_ms && { retryAt: Date.now() + reply.retry_after_ms }) };
}
