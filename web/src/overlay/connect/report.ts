import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { errorWords, readJson } from '../kit/api.ts';
import type { Outpost } from '../kit/outpost.tsx';

/** One agent that can be connected, from GET /v1/connect. */
export interface Item {
  id: string;
  group: 'desks' | 'guests';
  name: string;
  state: 'connected' | 'found' | 'ready' | 'missing' | 'problem';
  /** A sentence about what was found on the office's machine. */
  saw: string;
  /** The effect of the command in one sentence, such as "Installs Claude Code." */
  does: string;
  command: string;
  /** The file and lines that change if the office runs the command itself. */
  plan?: { path: string; lines: readonly string[] };
}

export interface Report {
  crew?: string;
  /** Whether this browser may ask the office to carry out a plan. */
  permit: boolean;
  items: readonly Item[];
  outposts?: readonly Outpost[];
}

export type Asked = 'busy' | { report: Report } | { error: string };

/** Fetches the report when mounted and on refresh(). install() asks the office to carry out a plan. */
export function useReport(): { asked: Signal<Asked>; refresh: () => Promise<void>; install: (id: string) => Promise<string | null> } {
  const asked = useSignal<Asked>('busy');
  const refresh = async () => {
    asked.value = 'busy';
    try {
      asked.value = { report: (await readJson('/v1/connect')) as Report };
    } catch (e) {
      asked.value = { error: errorWords(e) };
    }
  };
  useEffect(() => void refresh(), []);
  /** Asks the office to carry out the plan of an item; returns the error message, or null. */
  const install = async (id: string) => {
    try {
      asked.value = { report: (await readJson(`/v1/connect/${encodeURIComponent(id)}`, 'POST')) as Report };
      return null;
    } catch (e) {
      return errorWords(e);
    }
  };
  return { asked, refresh, install };
}
