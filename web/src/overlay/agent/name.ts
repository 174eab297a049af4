import type { AgentView, Need } from '../../world/store.ts';

/** Returns the name of an agent, or the id itself if the agent is unknown or has no name. */
export function nameOf(agents: readonly AgentView[], id: string): string {
  return agents.find((a) => a.agent_id === id)?.name ?? id;
}

/** Returns the name of the agent that a need is about, or undefined if it is not about an agent. */
export function needName(agents: readonly AgentView[], { name, agent_id }: Need): string | undefined {
  return name ?? (agent_id === undefined ? undefined : nameOf(agents, agent_id));
}
