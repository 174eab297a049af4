import type { AgentView } from '../../world/store.ts';

/** Returns the name of an agent, or the id itself if the agent is unknown or has no name. */
export function nameOf(agents: readonly AgentView[], id: string): string {
  return agents.find((a) => a.agent_id === id)?.name ?? id;
}
