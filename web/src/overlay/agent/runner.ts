import type { CommandName } from '../../contracts/protocol.gen.ts';
import type { AgentView } from '../../world/store.ts';

export type Control = Extract<CommandName, 'stop_agent' | 'kill_agent' | 'new_session' | 'switch_agent' | 'handover'>;

/** Controls that end in somebody else's hands. */
export const TO_ANOTHER: readonly Control[] = ['switch_agent', 'handover'];

/** Why a control cannot be used on somebody now; null when it can be tried. */
export function controlReason(agent: AgentView, control: Control): string | null {
  if (agent.source) return guestReason(agent, control);
  const runs = control === 'stop_agent' || control === 'kill_agent';
  if (agent.runner === 'rehearsal' && !runs) return 'The rehearsal crew keeps one session; there is nothing to switch.';
  if (agent.state === 'Offline' && runs) return 'Nothing runs: this person is away.';
  if (runs && !agent.task_id) return 'Nothing runs now.';
  return null;
}

/** A guest runs elsewhere: only what its source listens to can be asked of it. */
function guestReason(agent: AgentView, control: Control): string | null {
  const heard = agent.source === 'openclaw' && (control === 'stop_agent' || control === 'new_session');
  if (!heard) return 'It works elsewhere and is only watched here; use its own terminal.';
  if (agent.activity === 'offline') return 'It is offline and cannot be reached.';
  if (control === 'stop_agent' && agent.activity === 'idle') return 'Nothing runs now.';
  return null;
}

export const runnerWords = (runner: string | undefined): string => (runner === 'rehearsal' ? 'Rehearsal' : (runner ?? 'Unknown runner'));
