import { afterEach, describe, expect, it, vi } from 'vitest';
import { handleKey, listenKeys } from './keys.ts';
import { agent, artifact, bench, decision, undoOver } from './testing.tsx';

afterEach(() => {
  document.body.replaceChildren();
  vi.useRealTimers();
});

const press = (key: string, target: Element = document.body, more: KeyboardEventInit = {}): KeyboardEvent => {
  const e = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(e);
  return e;
};
const put = (tag: string): HTMLElement => document.body.appendChild(document.createElement(tag));

describe('keys', () => {
  it('do nothing while the user is typing', () => {
    const office = bench({ agents: [agent('agent_a')], decisions: [decision()] });
    const stop = listenKeys(office);
    for (const tag of ['input', 'textarea', 'select']) {
      for (const key of [' ', 'y', 'n', '1', 'f', '?', 'b', '/', 'Enter']) expect(press(key, put(tag)).defaultPrevented).toBe(false);
    }
    const box = put('div');
    box.setAttribute('contenteditable', 'true');
    press('1', box);
    expect(office.focus.selected.value).toBeNull();
    expect(office.shell.dialog.value).toBeNull();
    stop();
  });

  it('leave Space and Enter to a focused button, and all keys to a dialog', () => {
    const office = bench({ decisions: [decision()] });
    const stop = listenKeys(office);
    press(' ', put('button'));
    expect(office.shell.need.value).toBeNull();
    office.shell.dialog.value = { kind: 'keys' };
    press(' ');
    expect(office.shell.need.value).toBeNull();
    stop();
  });

  it('accept Y and N only on the focused card', () => {
    vi.useFakeTimers();
    const office = bench({ artifacts: [artifact()] });
    const stop = listenKeys(office);
    press(' ');
    press('y');
    press('y', put('button'));
    expect(office.sent).toEqual([]);
    const need = put('article');
    need.className = 'need';
    press('y', need, { repeat: true });
    undoOver();
    expect(office.sent).toEqual([]);
    press('y', need);
    undoOver();
    expect(office.sent).toHaveLength(1);
    stop();
  });

  it('U undoes the last answer', () => {
    vi.useFakeTimers();
    const office = bench({ artifacts: [artifact()] });
    const stop = listenKeys(office);
    expect(press('u').defaultPrevented).toBe(false);
    office.shell.approve(artifact());
    expect(press('u').defaultPrevented).toBe(true);
    undoOver();
    expect(office.sent).toEqual([]);
    stop();
  });

  it('select, follow, open and close', () => {
    const office = bench({ agents: [agent('agent_a'), agent('agent_b')] });
    const stop = listenKeys(office);
    press('2');
    expect(office.focus.selected.value).toEqual({ kind: 'agent', id: 'agent_b' });
    press('f');
    expect(office.focus.follow.value).toBe('agent_b');
    press('Enter');
    expect(office.shell.panel.value).toBe('agent');
    press('b');
    expect(office.shell.board.value).toBe(true);
    office.focus.lookAt.value = null;
    office.focus.near.value = true;
    for (const _ of [1, 2, 3, 4]) press('Escape');
    expect(office.focus.lookAt.value).toBeNull();
    press('Escape');
    expect(office.focus.lookAt.value).toBe('room');
    office.focus.near.value = false;
    press('Escape');
    expect([office.shell.board.value, office.focus.follow.value, office.focus.selected.value, office.shell.panel.value]).toEqual([false, null, null, null]);
    press('t');
    expect(office.shell.panel.value).toBe('feed');
    press('9');
    expect(office.focus.selected.value).toBeNull();
    stop();
  });

  it('open the palette from anywhere, even from a text field', () => {
    const office = bench();
    const stop = listenKeys(office);
    expect(press('k', put('textarea'), { ctrlKey: true }).defaultPrevented).toBe(true);
    expect(office.shell.dialog.value).toEqual({ kind: 'palette' });
    stop();
  });

  it('leave browser shortcuts alone', () => {
    const office = bench({ agents: [agent('agent_a')] });
    expect(handleKey(office, new KeyboardEvent('keydown', { key: '1', altKey: true }))).toBe(false);
    expect(handleKey(office, new KeyboardEvent('keydown', { key: 'f', ctrlKey: true }))).toBe(false);
  });

  it('open what the room requests', () => {
    const office = bench({ decisions: [decision()] });
    const stop = listenKeys(office);
    office.focus.open.value = { kind: 'decision', id: 'dec_a' };
    expect(office.focus.open.value).toBeNull();
    expect(office.shell.need.value).toBe('dec_a');
    stop();
  });
});
