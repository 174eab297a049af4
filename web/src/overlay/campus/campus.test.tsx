import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanup, fireEvent } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import type { SceneManifest } from '../../contracts/protocol.gen.ts';
import type { AgentView } from '../../world/store.ts';
import { handleKey } from '../keys.ts';
import { bench, draw, type Bench } from '../testing.tsx';
import { Distances } from './distances.tsx';
import { StudioList } from './studios.tsx';

afterEach(cleanup);

const scene = (id: string) => JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes', `${id}.json`), 'utf8')) as SceneManifest;
const guest = (id: string, more: Partial<AgentView>): AgentView => ({ agent_id: id, name: id, state: 'WorkingAtPOI', source: 'claude', pos: [0, 0, 0], ...more });

function campus(): Bench {
  const office = bench({
    agents: [guest('a', { room_id: 'room_1', activity: 'working' }), guest('b', { room_id: 'room_1', activity: 'waiting', needs_you: true }), guest('c', { activity: 'idle' })],
  });
  office.store.scene.value = scene('cozy_office_v0');
  office.store.modules.value = new Map(['studio_v0', 'garden_v0'].map((id) => [id, scene(id)]));
  office.store.rooms.value = [{ room_id: 'room_1', key: '/src/shop-api', label: 'shop-api', module: 'studio', plot: [1, 0], accent: 'blue', desks: 1 }];
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
    expect(row.textContent).toMatch(/shop-api.*2 people.*1 need you/);
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

  it('are the campus, the room in view, and who needs a person there', () => {
    const office = campus();
    office.focus.room.value = 'room_1';
    expect(press(office, 'c')).toBe(true);
    expect(office.focus.lookAt.value).toBe('room');
    press(office, 's');
    expect(office.focus.lookAt.value).toEqual({ kind: 'studio', id: 'room_1' });
    press(office, 'p');
    expect(office.focus.lookAt.value).toEqual({ kind: 'agent', id: 'b' });
  });

  it('start with the room of who needs a person, else with the house', () => {
    const office = campus();
    press(office, 's');
    expect(office.focus.lookAt.value).toEqual({ kind: 'studio', id: 'room_1' });
    office.store.agents.value = [];
    press(office, 'p');
    expect(office.focus.lookAt.value).toEqual({ kind: 'studio', id: '' });
  });

  it('say which of them the camera shows', () => {
    const office = campus();
    office.focus.step.value = 'campus';
    const { getByRole } = draw(office, <Distances />);
    expect(getByRole('button', { name: 'Campus' }).getAttribute('aria-pressed')).toBe('true');
    fireEvent.click(getByRole('button', { name: 'Studio' }));
    expect(office.focus.lookAt.value).toEqual({ kind: 'studio', id: 'room_1' });
  });
});
