import type { Office } from '../office.ts';
import { ALLOW, DENY, permit, permitReason, unreadReason } from './permission.ts';

const YES = /^(yes|approve|allow|accept|go ahead|ok|okay|try again|sure)\b/i;
const NO = /^(no|deny|reject|decline|not now|don.t)\b/i;

/** Goes to the next thing that waits, round and round. */
export function nextNeed({ store, shell, focus }: Office): boolean {
  const needs = store.needs.peek();
  const at = needs.findIndex((n) => n.ref === shell.need.peek());
  const need = needs[(at + 1) % needs.length];
  if (need?.agent_id) {
    focus.selected.value = { kind: 'agent', id: need.agent_id };
    focus.lookAt.value = { kind: 'agent', id: need.agent_id };
  }
  if (need) shell.need.value = need.ref;
  // Last: choosing somebody shows that person, but here the question is what matters.
  shell.show('needs');
  // Also when it was chosen before and the focus has gone elsewhere; the panel may be drawn only now.
  setTimeout(() => document.querySelector<HTMLElement>('.need')?.focus(), 0);
  return true;
}

/**
 * Answers the open need with yes or no. A review knows both; a question only where an option
 * says so, and nothing that ends work for good hangs on one key.
 */
export function answerNeed(office: Office, answer: 'yes' | 'no'): boolean {
  const { store, shell } = office;
  if (shell.panel.peek() !== 'needs') return false;
  const needs = store.needs.peek();
  const need = needs.find((n) => n.ref === shell.need.peek());
  if (!need) return false;
  if (need.kind === 'review') {
    const artifact = store.artifacts.peek().find((a) => a.artifact_id === need.ref);
    if (!artifact) return false;
    if (answer === 'yes') void shell.approve(artifact);
    else shell.dialog.value = { kind: 'artifact', id: artifact.artifact_id, part: 'changes' };
    return true;
  }
  if (need.kind === 'permission') return answerPermission(office, need.ref, answer === 'yes' ? ALLOW : DENY);
  const decision = store.decisions.peek().find((d) => d.decision_id === need.ref);
  const choice = decision?.options.find((o) => (answer === 'yes' ? YES : NO).test(o));
  if (!decision || decision.multiple || choice === undefined) return false;
  void shell.act('resolve_decision', { decision_id: decision.decision_id, choice, expected_decision_status: 'open' }, `Answered: ${choice}`);
  return true;
}

/** By key a tool is allowed once or denied, never for good; and only once the card was there to be read. */
function answerPermission(office: Office, id: string, choice: string): boolean {
  const decision = office.store.decisions.peek().find((d) => d.decision_id === id);
  if (!decision?.options.includes(choice) || office.shell.armed.peek() !== id) return false;
  const reason = permitReason(office) ?? unreadReason(office, decision, choice);
  if (reason !== null) office.shell.toast(reason, 'bad');
  else void permit(office, id, choice);
  return true;
}
