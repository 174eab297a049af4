import type { CommandName, Task } from '../../contracts/protocol.gen.ts';
import type { AgentView } from '../../world/store.ts';
import * as say from '../../contracts/words.gen.ts';
import type { Control } from '../../contracts/words.gen.ts';

/** Controls that hand the work over to another agent. */
export const TO_ANOTHER: readonly Control[] = ['switch_agent', 'handover'];

/** Controls that stop the agent's current run. */
const STOP_CONTROLS: readonly Control[] = ['stop_agent', 'kill_agent'];

/** Reports whether an agent accepts a command, according to the server. */
export const accepts = (agent: AgentView, command: CommandName): boolean => agent.controls?.includes(command) ?? false;

/** Explains why a control cannot be used now, or returns null if it can. `task` is the agent's current task. */
export function controlReason(agent: AgentView, control: Control, task?: Pick<Task, 'status'>): string | null {
  if (agent.source) return guestReason(agent, control);
  const runs = task?.status === 'in_progress';
  const answers = !task && (agent.state === 'WorkingAtPOI' || agent.needs_you);
  if (STOP_CONTROLS.includes(control) && !runs && !answers) return say.nothingRunning;
  if (control === 'new_session' && runs) return say.stopFirst;
  if (control === 'handover' && !task) return say.nothingToHandOver;
  return null;
}

function guestReason(agent: AgentView, control: Control): string | null {
  if (agent.activity === 'offline') return say.agentOffline;
  if (STOP_CONTROLS.includes(control) && agent.activity === 'idle') return say.nothingRunning;
  return null;
}

/** Returns the agents that can take over from an agent: the rest of the crew. */
export const successors = (agents: readonly AgentView[], agent: AgentView): readonly AgentView[] => agents.filter((a) => !a.source && a.agent_id !== agent.agent_id);
