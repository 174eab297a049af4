import type { Decision } from '../../contracts/protocol.gen.ts';
import type { Need } from '../../world/store.ts';
import type { Office } from '../office.ts';
import type { Order } from './verdict.ts';
import * as say from '../../contracts/words.gen.ts';

/** The answers to a permission, as the office offers them. */
export const ALLOW = 'Allow once';
export const ALWAYS = 'Always allow';
export const DENY = 'Deny';

/** Why this page cannot answer a permission, or what a tool asks; null when it can. */
export function permitReason({ shell, store }: Pick<Office, 'shell' | 'store'>, deed: string = say.lettingRun): string | null {
  return shell.frozen.value ?? (store.permit.value ? null : say.operatorOnly(deed));
}

/** Why this answer needs more reading; null when it does not. A call can be allowed only after this page has drawn all of it. */
export function unreadReason({ shell }: Pick<Office, 'shell'>, { decision_id, permission }: Decision, choice: string): string | null {
  const read = choice === DENY || permission?.args === undefined || permission.args === null || shell.wasRead.value.has(decision_id);
  return read ? null : 'Open it in full size and read all of it before you allow it.';
}

/** Answers the permissions of a card as they are seen here. */
export function permit(office: Pick<Office, 'shell'>, card: readonly Need[], choice: string): void {
  const done = choice === DENY ? say.denied : choice === ALWAYS ? say.allowedAlways : say.allowedOnce;
  office.shell.answer({ orders: card.map(({ ref }) => resolve(ref, { choice })), words: choice, done, permit: true });
}

/** The command that answers a decision as it is seen here. */
export function resolve(ref: string, answer: { choice: string; choices?: string[]; note?: string }): Order {
  return { ref, name: 'resolve_decision', data: { decision_id: ref, ...answer, expected_decision_status: 'open' } };
}
