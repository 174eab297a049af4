import { OPTION_ALLOW, OPTION_DENY } from '../../contracts/limits.gen.ts';
import type { Need } from '../../world/store.ts';
import { showAgent } from '../campus/go.ts';
import type { Office } from '../office.ts';
import { decidePermissions, permitReason, answerCommand, unreadReason } from './permission.ts';
import * as say from '../../contracts/words.gen.ts';

const YES = /^(yes|approve|allow|accept|go ahead|ok|okay|try again|sure)\b/i;
const NO = /^(no|deny|reject|decline|not now|don.t)\b/i;

/** Opens the inbox and selects the next card, wrapping around. Always returns true. */
export function nextNeed(office: Office): boolean {
  const { shell, focus } = office;
  const cards = shell.answerQueue.cards.peek();
  const at = cards.findIndex((card) => card.some((n) => n.ref === shell.need.peek()));
  const need = cards[(at + 1) % cards.length]?.[0];
  if (need?.agent_id) {
    focus.selected.value = { kind: 'agent', id: need.agent_id };
    showAgent(office, need.agent_id);
  }
  if (need) shell.need.value = need.ref;
  // Last, because selecting an agent opens its panel, which would hide the question.
  shell.show('needs');
  // The card may already be selected but have lost focus. Wait, because the panel may not be rendered
  // yet.
  setTimeout(() => document.querySelector<HTMLElement>('.need')?.focus(), 0);
  return true;
}

/**
 * Answers the open card with yes or no, and returns false if the card cannot be answered this way. A plan can only be
 * answered with yes, which starts it; a question needs an option with that meaning. An answer from the keyboard never
 * ends work permanently.
 */
export function answerNeed(office: Office, answer: 'yes' | 'no'): boolean {
  const { store, shell } = office;
  if (shell.panel.peek() !== 'needs') return false;
  const card = shell.answerQueue.cards.peek().find((c) => c.some((n) => n.ref === shell.need.peek()));
  const need = card?.[0];
  if (!need) return false;
  switch (need.kind) {
    case 'review': {
      const artifact = store.artifacts.peek().find((a) => a.artifact_id === need.ref);
      if (!artifact) return false;
      if (answer === 'yes') shell.approve(artifact);
      else shell.dialog.value = { kind: 'artifact', id: artifact.artifact_id, part: 'changes' };
      return true;
    }
    case 'plan':
      if (answer === 'yes') void shell.start(need.ref);
      return answer === 'yes';
    case 'permission':
      return answerPermission(office, card, answer === 'yes' ? OPTION_ALLOW : OPTION_DENY);
  }
  const decision = store.decisions.peek().find((d) => d.decision_id === need.ref);
  const choice = decision?.options.find((o) => (answer === 'yes' ? YES : NO).test(o));
  if (!decision || decision.multiple || choice === undefined) return false;
  shell.answer({ commands: card.map((n) => answerCommand(n.ref, { choice })), words: choice, done: say.answered });
  return true;
}

/**
 * Allows a tool once or denies it; returns false if the card is not armed yet or lacks that option. Keys never allow
 * a tool permanently.
 */
function answerPermission(office: Office, card: readonly Need[], choice: string): boolean {
  const id = card[0]!.ref;
  const decision = office.store.decisions.peek().find((d) => d.decision_id === id);
  if (!decision?.options.includes(choice) || office.shell.armed.peek() !== id) return false;
  const reason = permitReason(office) ?? unreadReason(office, decision, choice);
  if (reason !== null) office.shell.toast(reason, 'bad');
  else decidePermissions(office, card, choice);
  return true;
}
