import { OPTION_ALWAYS, OPTION_DENY } from '../../contracts/limits.gen.ts';
import type { Artifact, Decision } from '../../contracts/protocol.gen.ts';
import type { Need } from '../../world/store.ts';
import type { Office } from '../office.ts';
import type { AnswerCommand } from './answer_queue.ts';
import * as say from '../../contracts/words.gen.ts';

/** Explains why this page cannot answer permission requests or questions from tools, or returns null if it can. */
export function permitReason({ shell, store }: Pick<Office, 'shell' | 'store'>, action: string = say.lettingRun): string | null {
  return shell.frozen.value ?? (store.permit.value ? null : say.operatorOnly(action));
}

/**
 * Explains why this page cannot approve a deliverable, or returns null if it can. An approved patch can be landed, so
 * approving a patch requires operator access.
 */
export function approveReason(office: Pick<Office, 'shell' | 'store'>, { tree }: Artifact): string | null {
  return tree ? permitReason(office, 'Approving a patch') : office.shell.frozen.value;
}

/**
 * Explains why a request cannot be answered with `choice` yet, or returns null if it can. A call can be allowed only
 * after this page has displayed all of it or opened it at full size.
 */
export function unreadReason({ shell }: Pick<Office, 'shell'>, { decision_id, permission }: Decision, choice: string): string | null {
  const read = choice === OPTION_DENY || permission?.args === undefined || permission.args === null || shell.readRequests.value.has(decision_id);
  return read ? null : 'Open the request at full size and read all of it before you allow it.';
}

/** Answers all permission requests on a card with `choice`. */
export function decidePermissions(office: Pick<Office, 'shell'>, card: readonly Need[], choice: string): void {
  const done = choice === OPTION_DENY ? say.denied : choice === OPTION_ALWAYS ? say.allowedAlways : say.allowedOnce;
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
