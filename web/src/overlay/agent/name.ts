import type { AgentView } from '../../world/store.ts';

/** Returns the name of an agent; an unknown id is shown as it is. */
export function nameOf(agents: readonly AgentView[], id: string): string {
  return agents.find((a) => a.agent_id === id)?.name ?? id;
}
