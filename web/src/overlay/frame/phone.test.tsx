import { cleanup, fireEvent, screen } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, bench, draw, openStudios, type Bench } from '../testing.tsx';
import { Phone } from './phone.tsx';

afterEach(cleanup);

describe('the sheet of a phone', () => {
  let office: Bench;
  const grab = () => screen.getByRole('button', { name: 'Full-screen room' });
  const swipe = (to: number) => {
    grab().setPointerCapture = () => {};
    fireEvent.pointerDown(grab(), { clientY: 300, pointerId: 1 });
    fireEvent.pointerMove(grab(), { clientY: to, pointerId: 1 });
    fireEvent.pointerUp(grab(), { clientY: to, pointerId: 1 });
    fireEvent.click(grab());
  };

  beforeEach(() => {
    office = bench({ agents: [agent('agent_a', { source: 'claude', activity: 'working', room_id: 'room_1' })] });
    office.shell.phone.value = true;
    draw(office, <Phone />);
  });

  it('is put away by a swipe down, and comes back by a swipe up', () => {
    swipe(380);
    expect(office.shell.roomFullScreen.value).toBe(true);
    swipe(220);
    expect(office.shell.roomFullScreen.value).toBe(false);
  });

  it('is put away by a tap or key too, and comes back with a tab', () => {
    fireEvent.click(grab());
    expect(office.shell.roomFullScreen.value).toBe(true);
    fireEvent.click(screen.getByRole('button', { name: 'People' }));
    expect([office.shell.roomFullScreen.value, office.shell.panel.value]).toEqual([false, 'people']);
  });

  it('lists studios with counts above the people', async () => {
    openStudios(office, 'shop-api');
    office.shell.show('people');
    const list = await screen.findByRole('navigation', { name: 'Studios' });
    expect(list.textContent).toContain('1 person');
    expect(screen.getByRole('button', { expanded: true, name: /shop-api/ }).textContent).toContain('1 working');
  });
});
