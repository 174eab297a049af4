import type { Task } from '../../contracts/protocol.gen.ts';
import { AGENT_BD } from '../../contracts/limits.gen.ts';
import type { AgentView } from '../../world/store.ts';
import * as say from '../../contracts/words.gen.ts';

// The director has the same table and uses it to assign tasks; here it only sorts a menu.
const fits: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  research: { researcher: 3, strategist: 1 },
  plan: { strategist: 3, researcher: 1 },
  copy: { writer: 3 },
  design: { designer: 3 },
  code: { engineer: 3 },
  review: { reviewer: 3, strategist: 1 },
};

export interface Candidate {
  agent: AgentView;
  fit: 'good' | 'fair' | 'other';
  /** Why the agent cannot take the task now. */
  busy?: string;
}

/** Returns the crew as candidates for a task: free agents before busy agents, then by fit. */
export function candidates(task: Task, agents: readonly AgentView[]): readonly Candidate[] {
  return agents
    .filter((agent) => !agent.source)
    .map((agent) => ({ agent, fit: fitOf(task, agent), ...busyOf(task, agent) }))
    .sort((a, b) => rank(a) - rank(b));
}

function fitOf(task: Task, agent: AgentView): Candidate['fit'] {
  const score = fits[task.kind ?? '']?.[agent.role ?? ''] ?? 0;
  return score >= 3 ? 'good' : score > 0 ? 'fair' : 'other';
}

function busyOf(task: Task, agent: AgentView): { busy?: string } {
  if (agent.agent_id === AGENT_BD || agent.role === 'bd') return { busy: say.takesRequests };
  if (agent.state === 'Offline') return { busy: say.agentStates.Offline };
  if (agent.state === 'InMeeting') return { busy: say.agentStates.InMeeting };
  if (agent.task_id === task.task_id) return { busy: say.alreadyHasIt };
  if (agent.task_id) return { busy: say.busy };
  return {};
}

function rank(c: Candidate): number {
  return (c.busy ? 10 : 0) + { good: 0, fair: 1, other: 2 }[c.fit];
}
