import type { CommandName, Task } from '../../contracts/protocol.gen.ts';
import type { AgentView } from '../../world/store.ts';

export type Control = Extract<CommandName, 'stop_agent' | 'kill_agent' | 'new_session' | 'switch_agent' | 'handover'>;

/** Controls that end in somebody else's hands. */
export const TO_ANOTHER: readonly Control[] = ['switch_agent', 'handover'];

/** What the source of a guest can be told; the office refuses the rest. */
const heard: Readonly<Record<string, readonly Control[]>> = {
  openclaw: ['stop_agent', 'new_session'],
  bridge: ['stop_agent', 'new_session', 'kill_agent'],
};

/** Whether messages can be said to somebody: to the crew, and to who dialled in. */
export const hears = (agent: AgentView): boolean => !agent.source || agent.source === 'bridge';

/** Why a control cannot be used on somebody now; null when it can be tried. The task is the one they have. */
export function controlReason(agent: AgentView, control: Control, task?: Pick<Task, 'status'>): string | null {
  if (agent.source) return guestReason(agent, agent.source, control);
  const runs = task?.status === 'in_progress';
  const answers = !task && (agent.state === 'WorkingAtPOI' || agent.needs_you);
  if (control === 'stop_agent' && !runs && !answers) return 'Nothing runs now.';
  if (control === 'new_session' && runs) return 'A task runs: stop it before a new session begins.';
  if (control === 'handover' && !task) return 'There is no task to hand over.';
  return null;
}

/** A guest runs elsewhere: only what its source listens to can be asked of it. */
function guestReason(agent: AgentView, source: string, control: Control): string | null {
  if (!heard[source]) return 'It works elsewhere and is only watched here; use its own terminal.';
  if (!heard[source].includes(control)) return TO_ANOTHER.includes(control) ? 'Guests have no tasks and threads here to pass on.' : 'It cannot be ended from here; use its own terminal.';
  if (agent.activity === 'offline') return 'It is offline and cannot be reached.';
  if (control === 'stop_agent' && agent.activity === 'idle') return 'Nothing runs now.';
  return null;
}

/** Who can take over from somebody: the rest of the crew. */
export const successors = (agents: readonly AgentView[], agent: AgentView): readonly AgentView[] => agents.filter((a) => !a.source && a.agent_id !== agent.agent_id);

export const runnerWords = (runner: string | undefined): string => (runner === 'rehearsal' ? 'Rehearsal' : (runner ?? 'Unknown runner'));
