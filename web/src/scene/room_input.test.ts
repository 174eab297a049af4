import { beforeEach, describe, expect, test } from 'vitest';
import { CameraRig } from './camera.ts';
import { listenRoom } from './room_input.ts';

const overview = { target: [0, 0.75, 0] as [number, number, number], distance: 42.5, azimuth: 45, elevation: 33 };
let canvas: HTMLElement, rig: CameraRig, said: string[], release: () => void;

beforeEach(() => {
  document.body.replaceChildren();
  canvas = document.createElement('div');
  canvas.setPointerCapture = () => {};
  document.body.append(canvas);
  rig = new CameraRig(overview, { w: 13.4, d: 10.4 }, 18);
  said = [];
  release?.();
  release = listenRoom(canvas, rig, {
    hover: (x, y) => said.push(`hover ${x},${y}`), leave: () => said.push('leave'), click: (x, y) => said.push(`click ${x},${y}`),
    doubleClick: () => said.push('double'), ground: () => [2, 1], moved: turned => said.push(turned ? 'turned' : 'moved'), height: () => 720,
  });
});

const at = (type: string, x: number, y: number, more: PointerEventInit = {}) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x, clientY: y, bubbles: true, ...more }));
const key = (k: string) => window.dispatchEvent(new KeyboardEvent('keydown', { key: k, cancelable: true }));

describe('room input', () => {
  test('a short press is a click, even if the hand trembles', () => {
    at('pointerdown', 10, 10);
    at('pointermove', 12, 11);
    at('pointerup', 12, 11);
    expect(said).toEqual(['click 12,11']);
  });

  test('a drag moves the floor and is not a click', () => {
    at('pointerdown', 10, 10);
    at('pointermove', 110, 10);
    at('pointerup', 110, 10);
    expect(said).toEqual(['moved']);
    expect(rig.goal.x).toBeLessThan(0);
  });

  test('two fingers zoom', () => {
    at('pointerdown', 100, 100, { pointerType: 'touch' });
    at('pointerdown', 200, 100, { pointerId: 2, pointerType: 'touch' });
    at('pointermove', 300, 100, { pointerId: 2, pointerType: 'touch' });
    expect(rig.goal.distance).toBeCloseTo(42.5 / 2);
    at('pointerup', 300, 100, { pointerId: 2 });
    at('pointerup', 100, 100);
    expect(said.some(s => s.startsWith('click'))).toBe(false);
  });

  test('the wheel zooms towards the pointer', () => {
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -200, cancelable: true }));
    expect(rig.goal.distance).toBeLessThan(42.5);
    expect(rig.goal.x).toBeGreaterThan(0);
    expect(said).toEqual(['turned']);
  });

  test('keys turn, pan and reset, but not while another element needs the keyboard', () => {
    key('e');
    expect(rig.goal.azimuth).toBe(90);
    key('Q');
    expect(rig.goal.azimuth).toBe(45);
    key('ArrowRight');
    expect(rig.goal.x).toBeGreaterThan(0);
    key('Home');
    expect(rig.goal.x).toBe(0);
    const input = document.createElement('input');
    document.body.append(input);
    input.focus();
    key('e');
    expect(rig.goal.azimuth).toBe(45);
  });

  test('a focused button leaves the keys to the room; a dialog, a list and the text view do not', () => {
    const put = (html: HTMLElement, tag = 'button') => { const el = document.createElement(tag); html.append(el); document.body.append(html); el.tabIndex = 0; el.focus(); };
    put(document.createElement('div'));
    key('e');
    expect(rig.goal.azimuth).toBe(90);
    const list = document.createElement('ul');
    list.setAttribute('role', 'listbox');
    for (const around of [document.createElement('dialog'), list]) { put(around); key('e'); }
    expect(rig.goal.azimuth).toBe(90);
    put(document.createElement('div'));
    document.documentElement.dataset['view'] = 'text';
    key('e');
    delete document.documentElement.dataset['view'];
    expect(rig.goal.azimuth).toBe(90);
  });

  test('dragging with the right button turns the room in steps, and the menu is suppressed only then', () => {
    const menu = () => canvas.dispatchEvent(new MouseEvent('contextmenu', { cancelable: true }));
    expect(menu()).toBe(true);
    at('pointerdown', 300, 10, { button: 2 });
    expect(menu()).toBe(false);
    at('pointermove', 250, 10);
    expect(rig.goal.azimuth).toBe(45);
    at('pointermove', 200, 10);
    expect(rig.goal.azimuth).toBe(90);
    at('pointermove', 300, 10);
    expect(rig.goal.azimuth).toBe(45);
    at('pointerup', 300, 10, { button: 2 });
    expect(menu()).toBe(false);
    expect(said).toEqual(['turned', 'turned']);
    expect(rig.goal.x).toBe(0);
    at('pointerdown', 300, 10, { button: 2 });
    at('pointerup', 300, 10, { button: 2 });
    expect(menu()).toBe(true);
  });

  test('twisting two fingers turns the room', () => {
    const touch = { pointerType: 'touch' };
    at('pointerdown', 100, 100, touch);
    at('pointerdown', 200, 100, { ...touch, pointerId: 2 });
    at('pointermove', 187, 150, { ...touch, pointerId: 2 });
    at('pointermove', 180, 162, { ...touch, pointerId: 2 });
    expect(rig.goal.azimuth).toBe(90);
  });

  test('removes all listeners', () => {
    release();
    at('pointermove', 5, 5);
    key('e');
    expect(said).toEqual([]);
    expect(rig.goal.azimuth).toBe(45);
  });
});
