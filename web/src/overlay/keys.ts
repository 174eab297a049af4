import { effect } from '@preact/signals';
import { goTo, numbered } from './campus/go.ts';
import { requestField } from './frame/request_field.ts';
import { answerNeed, nextNeed } from './needs/answer.ts';
import type { Office } from './office.ts';
import * as say from '../contracts/words.gen.ts';

/** Each shortcut and its effect, for the help dialog. */
export const keyHelp: readonly (readonly [string, string])[] = [
  ['Space', say.keyNextNeed],
  ['Y / N', 'On the card opened with Space: approve or send back, allow once or deny, start the plan'],
  ['U', 'Undo the last answer'],
  ['1 – 9', `${say.keyChoose}; with studios: a studio on the campus, an agent in a studio`],
  ['Enter', say.keyOpen],
  ['F', say.keyFollow],
  ['B', 'Open or close the task board'],
  ['T', 'Show events'],
  ['/', 'Write a request'],
  ['H', 'Connect agents and models'],
  ['Arrows', 'Move the view'],
  ['Q / E', 'Rotate the view'],
  ['+ / −, 0', 'Zoom; show the whole room'],
  ['C / S / P', 'With studios: show the campus, a studio or a person'],
  ['M', 'Pet the cat'],
  ['J / K', 'Go to the next or previous change in a diff (also N / P at full size)'],
  ['Ctrl K or ⌘ K', say.findAnything],
  ['?', say.keyKeys],
  ['Esc', say.keyClose],
];

/** Listens for the office's shortcuts. Returns a function that stops listening. */
export function listenKeys(office: Office): () => void {
  const onKey = (e: KeyboardEvent) => {
    if (handleKey(office, e)) e.preventDefault();
  };
  addEventListener('keydown', onKey);
  const stopOpen = effect(() => {
    const ref = office.focus.open.value;
    if (!ref) return;
    office.focus.open.value = null;
    office.shell.open(ref);
  });
  return () => {
    removeEventListener('keydown', onKey);
    stopOpen();
  };
}

/** Handles a key; returns false if the key is not a shortcut here. */
export function handleKey(office: Office, e: KeyboardEvent): boolean {
  const { shell } = office;
  if (e.isComposing || e.defaultPrevented) return false;
  if ((e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === 'k') {
    shell.dialog.value = shell.dialog.peek()?.kind === 'palette' ? null : { kind: 'palette' };
    return true;
  }
  if (e.ctrlKey || e.metaKey || e.altKey) return false;
  // A dialog handles all keys itself, and a text field needs letters.
  if (shell.dialog.peek() !== null) return false;
  if (isWriting(e.target)) return e.key === 'Escape' && leave(e.target);
  if ((e.key === ' ' || e.key === 'Enter') && isControl(e.target)) return false;
  if (/^[yn]$/i.test(e.key)) return !e.repeat && isAnswering(e.target) && answerNeed(office, e.key.toLowerCase() === 'y' ? 'yes' : 'no');
  return handlePlainKey(office, e.key);
}

function handlePlainKey(office: Office, key: string): boolean {
  const { shell, focus } = office;
  const selected = focus.selected.peek();
  switch (key) {
    case ' ':
      return nextNeed(office);
    case 'u':
    case 'U':
      return shell.answerQueue.undo();
    case 'Enter':
      if (!selected) return false;
      shell.open(selected);
      // Wait until the panel is rendered.
      setTimeout(() => document.querySelector<HTMLElement>('.agent-panel')?.focus(), 0);
      return true;
    case 'f':
    case 'F':
      if (selected?.kind !== 'agent') return false;
      focus.follow.value = focus.follow.peek() === selected.id ? null : selected.id;
      return true;
    case 'b':
    case 'B':
      if (shell.phone.peek()) shell.show('tasks');
      else shell.board.value = !shell.board.peek();
      // Wait until the board is rendered; if this key closed it, there is nothing to focus.
      setTimeout(() => document.querySelector<HTMLElement>('.board')?.focus(), 0);
      return true;
    case 't':
    case 'T':
      shell.show('feed');
      return true;
    case '/':
      requestField()?.focus();
      return requestField() !== null;
    case 'h':
    case 'H':
      shell.dialog.value = { kind: 'connect' };
      return true;
    case 'c':
    case 'C':
      return goTo(office, 'campus');
    case 's':
    case 'S':
      return goTo(office, 'studio');
    case 'p':
    case 'P':
      return goTo(office, 'person');
    case 'm':
    case 'M':
      return petCat(office);
    case '?':
      shell.dialog.value = { kind: 'keys' };
      return true;
    case 'Escape':
      return close(office);
  }
  if (!/^[1-9]$/.test(key)) return false;
  const chosen = numbered(office)[Number(key) - 1];
  if (!chosen) return false;
  if (chosen.kind !== 'studio') focus.selected.value = chosen;
  focus.lookAt.value = chosen;
  return true;
}

/**
 * Closes or ends the first of these that is active: the board, follow mode, the agent panel, the selection, the
 * close-up, any other panel. Returns false if none is active.
 */
function close({ shell, focus }: Office): boolean {
  if (shell.board.peek()) shell.board.value = false;
  else if (focus.follow.peek() !== null) focus.follow.value = null;
  else if (shell.panel.peek() === 'agent') shell.panel.value = 'needs';
  else if (focus.selected.peek()) focus.selected.value = null;
  else if (focus.near.peek()) focus.lookAt.value = 'room';
  else if (shell.panel.peek() !== null && !shell.phone.peek()) shell.panel.value = null;
  else return false;
  return true;
}

/** Pets the first cat in the house; returns false if there is none. */
function petCat({ store, focus }: Office): boolean {
  const cat = store.scene.peek()?.objects.find((o) => o.kind === 'cat');
  if (cat) focus.petted.value = { cat: cat.object_id };
  return cat !== undefined;
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('input, textarea, select, [contenteditable=""], [contenteditable="true"]');
}

// Y and N answer a card, so they count only while the focus is in it.
function isAnswering(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.need') !== null;
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a[href], summary, [role="option"]') !== null;
}

function leave(target: EventTarget | null): boolean {
  (target as HTMLElement).blur();
  return true;
}
