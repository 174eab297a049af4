import { commandNames } from '../../contracts/codes.gen.ts';
import type { CommandName, SuggestedAction } from '../../contracts/protocol.gen.ts';

/** The effect of pressing a suggested action. */
export type Step =
  | { kind: 'command'; name: CommandName; data: object }
  | { kind: 'board'; projectId: string | null }
  | { kind: 'artifact' | 'approve'; id: string }
  | { kind: 'decision'; id: string }
  | { kind: 'write' }
  | { kind: 'unknown' };

const LIMITED = new Set<string>(['auto_assign', 'start_kickoff', 'pause_project', 'resume_project', 'approve_artifact']);

/**
 * Returns the effect of a suggested action. Agents make the suggestions, so only commands that are safe to send with
 * one click are allowed: none that ends work or needs text from the user.
 */
export function stepOf(action: SuggestedAction): Step {
  switch (action.action) {
    case 'open_task_board':
      return { kind: 'board', projectId: action.project_id ?? null };
    case 'open_artifact':
      return action.artifact_id ? { kind: 'artifact', id: action.artifact_id } : { kind: 'unknown' };
    case 'clarify':
      return action.decision_id ? { kind: 'decision', id: action.decision_id } : { kind: 'write' };
  }
  const name = commandNames.find((n) => n === action.action);
  if (!name || !LIMITED.has(name)) return { kind: 'unknown' };
  if (name === 'approve_artifact') {
    return action.artifact_id ? { kind: 'approve', id: action.artifact_id } : { kind: 'unknown' };
  }
  return action.project_id ? { kind: 'command', name, data: { project_id: action.project_id } } : { kind: 'unknown' };
}
