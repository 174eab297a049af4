import type { Artifact, Decision } from '../../contracts/protocol.gen.ts';
import type { Need } from '../../world/store.ts';
import type { Office } from '../office.ts';
import type { AnswerCommand } from './answer_queue.ts';
import * as say from '../../contracts/words.gen.ts';

/** The options of a permission request, spelled as the office sends them. */
export const ALLOW = 'Allow once';
export const ALWAYS = 'Always allow';
export const DENY = 'Deny';

/** Returns why this page cannot answer permission requests or questions from tools, or null if it can. */
export function permitReason({ shell, store }: Pick<Office, 'shell' | 'store'>, action: string = say.lettingRun): string | null {
  return shell.frozen.value ?? (store.permit.value ? null : say.operatorOnly(action));
}

/**
 * Returns why this page cannot approve a deliverable, or null if it can. An approved patch can be landed, so
 * approving a patch requires operator access.
 */
export function approveReason(office: Pick<Office, 'shell' | 'store'>, { tree }: Artifact): string | null {
  return tree ? permitReason(office, 'Approving a patch') : office.shell.frozen.value;
}

/**
 * Returns why a request cannot be answered with `choice` yet, or null if it can. A call can be allowed only
 * after this page has displayed all of it.
 */
export function unreadReason({ shell }: Pick<Office, 'shell'>, { decision_id, permission }: Decision, choice: string): string | null {
  const read = choice === DENY || permission?.args === undefined || permission.args === null || shell.readRequests.value.has(decision_id);
  return read ? null : 'Open the request at full size and read all of it before you allow it.';
}

/** Answers all permission requests on a card with `choice`. */
export function decidePermissions(office: Pick<Office, 'shell'>, card: readonly Need[], choice: string): void {
  const done = choice === DENY ? say.denied : choice === ALWAYS ? say.allowedAlways : say.allowedOnce;
  const commands = card.map(({ ref }) => answerCommand(ref, { choice }));
  office.shell.answer({ commands, words: choice, done, isPermission: true });
}

/** Returns the command that answers a decision. */
export function answerCommand(
  ref: string,
  answer: { choice: string; choices?: string[]; note?: string },
): AnswerCommand {
  return { ref, name: 'resolve_decision', data: { decision_id: ref, ...answer, expected_decision_status: 'open' } };
}
