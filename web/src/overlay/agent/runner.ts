import type { CommandName } from '../../contracts/protocol.gen.ts';
import type { AgentView } from '../../world/store.ts';

export type Control = Extract<CommandName, 'stop_agent' | 'kill_agent' | 'new_session' | 'switch_agent' | 'handover'>;

/** Controls that end in somebody else's hands. */
export const TO_ANOTHER: readonly Control[] = ['switch_agent', 'handover'];

/** Why a control cannot be used on somebody now; null when it can be tried. */
export function controlReason(agent: AgentView, control: Control): string | null {
  const runs = control === 'stop_agent' || control === 'kill_agent';
  if (agent.runner === 'rehearsal' && !runs) return 'The rehearsal crew keeps one session; there is nothing to switch.';
  if (agent.state === 'Offline' && runs) return 'Nothing runs: this person is away.';
  if (runs && !agent.task_id) return 'Nothing runs now.';
  return null;
}

export const runnerWords = (runner: string | undefined): string => (runner === 'rehearsal' ? 'Rehearsal' : (runner ?? 'Unknown runner'));
