import { useOffice } from '../office.ts';
import { agoWords } from './time.ts';
import { Words } from './words.tsx';
import * as say from '../../contracts/words.gen.ts';

/** A machine that has joined the office, as returned by GET /v1/connect and by GET /v1/agents/{id}/explain. */
export interface Outpost {
  name: string;
  state: 'connected' | 'silent' | 'gone';
  /** When it connected, in Unix milliseconds. */
  since?: number;
  last_seen?: number;
  version?: string;
  agents: number;
  /** What is wrong, and what to do. */
  problem?: string;
}

/** Shows an outpost: how many of its agents are in the office, its version, when it connected, and its problem, if any. */
export function OutpostLine({ of }: { of: Outpost }) {
  const { store, shell } = useOffice();
  void shell.clock.value; // re-renders every second
  const ago = (at: number) => agoWords(store.now() - at);
  const parts = [say.outpostAgents(of.agents)];
  if (of.version) parts.push(say.outpostVersion(of.version));
  if (of.since) parts.push(of.state === 'connected' ? say.outpostSince(ago(of.since)) : say.outpostSeen(ago(of.last_seen ?? of.since)));
  return (
    <>
      <Words class="block soft small">{parts.join(' · ')}</Words>
      {of.problem && <Words class="block small">{of.problem}</Words>}
    </>
  );
}
