import { cleanup, fireEvent } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentView } from '../../world/store.ts';
import { handleKey } from '../keys.ts';
import { bench, draw, openStudios, scene, type Bench } from '../testing.tsx';
import { Distances } from './distances.tsx';
import { StudioList } from './studios.tsx';

afterEach(cleanup);

const guest = (id: string, more: Partial<AgentView>): AgentView => ({ agent_id: id, name: id, state: 'WorkingAtPOI', source: 'claude', pos: [0, 0, 0], ...more });

function campus(): Bench {
  const office = bench({
    agents: [guest('a', { room_id: 'room_1', activity: 'working' }), guest('b', { room_id: 'room_1', activity: 'waiting', needs_you: true }), guest('c', { activity: 'idle' })],
  });
  openStudios(office, 'shop-api');
  return office;
}

describe('the list of studios', () => {
  it('is not there while there is only the house', () => {
    const office = bench();
    office.store.scene.value = scene('cozy_office_v0');
    const { container } = draw(office, [<StudioList />, <Distances />]);
    expect(container.textContent).toBe('');
    expect(handleKey(office, new KeyboardEvent('keydown', { key: 'c' }))).toBe(false);
  });

  it('shows the people of every room, and the room that is clicked', () => {
    const office = campus(), { getByRole, getAllByRole } = draw(office, <StudioList />);
    expect(getAllByRole('listitem')).toHaveLength(2);
    const row = getByRole('button', { name: /shop-api/ });
    expect(row.textContent).toMatch(/shop-api.*2 people · 1 needs you/);
    fireEvent.click(row);
    expect(office.focus.lookAt.value).toEqual({ kind: 'studio', id: 'room_1' });
  });

  it('marks the room in view', () => {
    const office = campus();
    office.focus.room.value = 'room_1';
    const { getByRole } = draw(office, <StudioList />);
    expect(getByRole('button', { name: /shop-api/ }).getAttribute('aria-current')).toBe('true');
  });
});

describe('the distances of the camera', () => {
  const press = (office: Bench, key: string) => handleKey(office, new KeyboardEvent('keydown', { key }));

  it('are the campus, the room in view, and the agent there that needs a person', () => {
    const office = campus();
    office.focus.room.value = 'room_1';
    expect(press(office, 'c')).toBe(true);
    expect(office.focus.lookAt.value).toBe('room');
    press(office, 's');
    expect(office.focus.lookAt.value).toEqual({ kind: 'studio', id: 'room_1' });
    press(office, 'p');
    expect(office.focus.lookAt.value).toEqual({ kind: 'agent', id: 'b' });
  });

  it('start with the room of the agent that needs a person, else with the house', () => {
    const office = campus();
    press(office, 's');
    expect(office.focus.lookAt.value).toEqual({ kind: 'studio', id: 'room_1' });
    office.store.agents.value = [];
    press(office, 'p');
    expect(office.focus.lookAt.value).toEqual({ kind: 'studio', id: '' });
  });

  it('let the keys 1 to 9 choose a room on the campus, and a person in a room', () => {
    const office = campus();
    press(office, '2');
    expect([office.focus.lookAt.value, office.focus.selected.value]).toEqual([{ kind: 'studio', id: 'room_1' }, null]);
    office.focus.room.value = 'room_1';
    press(office, '2');
    expect([office.focus.lookAt.value, office.focus.selected.value]).toEqual([{ kind: 'agent', id: 'b' }, { kind: 'agent', id: 'b' }]);
    expect(press(office, '3')).toBe(false);
  });

  it('let the keys 1 to 9 skip agents that are offline', () => {
    const office = campus();
    office.focus.room.value = 'room_1';
    office.store.agents.value = [guest('gone', { room_id: 'room_1', activity: 'offline' }), guest('left', { room_id: 'room_1', state: 'Offline' }), ...office.store.agents.value];
    press(office, '1');
    expect(office.focus.lookAt.value).toEqual({ kind: 'agent', id: 'a' });
    expect(press(office, '3')).toBe(false);
  });

  it('mark the one that the camera shows', () => {
    const office = campus();
    office.focus.zoomLevel.value = 'campus';
    const { getByRole } = draw(office, <Distances />);
    expect(getByRole('button', { name: 'Campus' }).getAttribute('aria-pressed')).toBe('true');
    fireEvent.click(getByRole('button', { name: 'Studio' }));
    expect(office.focus.lookAt.value).toEqual({ kind: 'studio', id: 'room_1' });
  });
});
