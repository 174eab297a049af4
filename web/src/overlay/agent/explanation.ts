import { useSignal, type Signal } from '@preact/signals';
import type { Evidence } from '../../contracts/protocol.gen.ts';
import { faultWords, readDoor } from '../kit/door.ts';

/** Why an agent is shown as it is, as GET /v1/agents/{id}/explain tells it. */
export interface Explanation {
  authority?: string;
  why: string;
  since?: number;
  /** The newest first. */
  evidence: readonly Evidence[];
  /** When it changes if nothing more is heard. */
  decays_at?: number;
  pid?: number;
  recent?: readonly { label: string; at: number }[];
}

export type Asked = 'none' | 'busy' | { told: Explanation } | { error: string };

/** Asks the office for its reasons, when the person wants them. */
export function useExplanation(id: string): { asked: Signal<Asked>; ask: () => Promise<void> } {
  const asked = useSignal<Asked>('none');
  const ask = async () => {
    if (asked.peek() === 'busy') return;
    asked.value = 'busy';
    try {
      asked.value = { told: (await readDoor(`/v1/agents/${encodeURIComponent(id)}/explain`)) as Explanation };
    } catch (e) {
      asked.value = { error: faultWords(e) };
    }
  };
  return { asked, ask };
}
