import { useSignal, type Signal } from '@preact/signals';
import type { Evidence } from '../../contracts/protocol.gen.ts';
import { errorWords, readJson } from '../kit/api.ts';
import type { Outpost } from '../kit/outpost.tsx';

/** The response to GET /v1/agents/{id}/explain: why an agent has its status. */
export interface Explanation {
  authority?: string;
  why: string;
  since?: number;
  /** Newest first. */
  evidence: readonly Evidence[];
  /** When the status expires if there is no new evidence. */
  decays_at?: number;
  pid?: number;
  /** The machine that the agent runs on, if that machine joined the office. */
  outpost?: Outpost;
  recent?: readonly { label: string; at: number }[];
}

export type Asked = 'none' | 'busy' | { explanation: Explanation } | { error: string };

/** Returns the state of an agent's explanation, and a function that requests it. */
export function useExplanation(id: string): { asked: Signal<Asked>; ask: () => Promise<void> } {
  const asked = useSignal<Asked>('none');
  const ask = async () => {
    if (asked.peek() === 'busy') return;
    asked.value = 'busy';
    try {
      asked.value = { explanation: (await readJson(`/v1/agents/${encodeURIComponent(id)}/explain`)) as Explanation };
    } catch (e) {
      asked.value = { error: errorWords(e) };
    }
  };
  return { asked, ask };
}
