import { describe, expect, test } from 'vitest';
import { effect } from '@preact/signals';
import { Focus } from '../world/focus.ts';
import type { Attention } from './attention.ts';
import type { RoomDeps } from './deps.ts';
import type { Picker } from './pick.ts';
import { Pointer } from './pointer.ts';

/**
 * Returns a function that drags a card to a point on the page and returns the id of the agent below it, or null. The
 * canvas is 100 by 100 pixels and begins at x 10. On the canvas, one agent is at x 40 to 60, and another is the nearest
 * one to every point left of x 90.
 */
function room() {
  const focus = new Focus(), canvas = document.createElement('div');
  canvas.getBoundingClientRect = () => new DOMRect(10, 0, 100, 100);
  const picker = { at: (x: number, _y: number, kind?: string) => (kind === 'agent' && x >= 40 && x <= 60 ? { ref: { kind: 'agent', id: 'agent_under' } } : null) } as unknown as Picker;
  const pointer = new Pointer(picker, {} as Attention, [], { focus } as RoomDeps, canvas, x => (x < 90 ? 'agent_near' : null), () => {});
  effect(() => { void focus.drag.value; pointer.updateDropTarget(); });
  return (x: number, y = 50) => { focus.drag.value = { taskId: 'task_1', x, y, over: focus.drag.peek()?.over ?? null }; return focus.drag.peek()!.over; };
}

describe('a card that is dragged over the room', () => {
  test('goes to the agent that a click would hit, or else to the nearest one', () => {
    const drag = room();
    expect(drag(60)).toBe('agent_under');
    expect(drag(20)).toBe('agent_near');
    expect(drag(105)).toBeNull();
  });

  test('goes to no one outside the picture', () => {
    const drag = room();
    expect(drag(60)).toBe('agent_under');
    expect(drag(60, 120)).toBeNull();
    expect(drag(5)).toBeNull();
  });
});
