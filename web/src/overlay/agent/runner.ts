import type { CommandName, Task } from '../../contracts/protocol.gen.ts';
import type { AgentView } from '../../world/store.ts';

export type Control = Extract<CommandName, 'stop_agent' | 'kill_agent' | 'new_session' | 'switch_agent' | 'handover'>;

/** Controls that end in somebody else's hands. */
export const TO_ANOTHER: readonly Control[] = ['switch_agent', 'handover'];

/** Controls that end what the agent runs. */
const ENDS: readonly Control[] = ['stop_agent', 'kill_agent'];

/** The server says which commands an agent obeys; a watched session obeys none. */
export const obeys = (agent: AgentView, command: CommandName): boolean => agent.controls?.includes(command) ?? false;

/** Why a control cannot be used now; null if it can be tried. The task is the agent's current one. */
export function controlReason(agent: AgentView, control: Control, task?: Pick<Task, 'status'>): string | null {
  if (agent.source) return guestReason(agent, control);
  const runs = task?.status === 'in_progress';
  const answers = !task && (agent.state === 'WorkingAtPOI' || agent.needs_you);
  if (ENDS.includes(control) && !runs && !answers) return 'Nothing is running.';
  if (control === 'new_session' && runs) return 'A task is running: stop it before starting a new session.';
  if (control === 'handover' && !task) return 'There is no task to hand over.';
  return null;
}

function guestReason(agent: AgentView, control: Control): string | null {
  if (agent.activity === 'offline') return 'It is offline and cannot be reached.';
  if (ENDS.includes(control) && agent.activity === 'idle') return 'Nothing is running.';
  return null;
}

/** Who can take over from somebody: the rest of the crew. */
export const successors = (agents: readonly AgentView[], agent: AgentView): readonly AgentView[] => agents.filter((a) => !a.source && a.agent_id !== agent.agent_id);
