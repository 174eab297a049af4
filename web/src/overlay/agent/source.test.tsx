import { cleanup, screen } from '@testing-library/preact';
import { afterEach, expect, it } from 'vitest';
import type { Snapshot } from '../../contracts/protocol.gen.ts';
import { check } from '../../contracts/check.ts';
import { bench, draw } from '../testing.tsx';
import { AgentPanel } from './agent_panel.tsx';
import { Welcome } from '../frame/welcome.tsx';

afterEach(cleanup);

const rows = { scene_id: 'cozy_office_v0', projects: [], tasks: [], artifacts: [], decisions: [], office_decor: [] };
const agents: Snapshot['agents'] = [
  { agent_id: 'agent_ada', name: 'ada', source: 'toy', place: '~/shop', state: 'IdleAtHome', pos: [0, 0, 0], activity: 'working', controls: ['stop_agent'] },
  { agent_id: 'agent_bob', name: 'bob', source: 'from_a_later_version', state: 'IdleAtHome', pos: [0, 0, 0], activity: 'idle' },
  { agent_id: 'agent_bd', name: 'Bea', role: 'bd', runner: 'toy_script', state: 'IdleAtHome', pos: [0, 0, 0] },
  { agent_id: 'agent_eng', name: 'Eve', role: 'engineer', runner: 'toy', state: 'IdleAtHome', pos: [0, 0, 0] },
];
const sources = [
  { source: 'toy', label: 'Toy Agent', color: '#336699', controls: ['stop_agent'] },
  { source: 'toy_script', label: 'Toy Script', color: '#123456', scripted: true },
];

function office(snapshot: Snapshot) {
  const it = bench();
  const message = { type: 'snapshot', id: 'snap_1', ts: 1, v: 1, payload: snapshot } as const;
  expect(check(message)).toBe('valid');
  it.store.apply(message);
  return it;
}

it('shows a vendor that this build does not know as the office describes it', () => {
  const it = office({ ...rows, seq: 1, agents, sources });
  const { container } = draw(it, <AgentPanel id="agent_ada" onClose={() => {}} />);
  expect(screen.getByText('Toy Agent · ~/shop')).toBeTruthy();
  expect(container.querySelector('.face-badge')!.getAttribute('stroke')).toBe('#336699');
  expect(screen.getByText('Stop')).toBeTruthy();
  expect(screen.queryByText('Kill')).toBeNull();
});

it('makes the name of a source readable if the office does not describe the source', () => {
  const { container } = draw(office({ ...rows, seq: 1, agents, sources }), <AgentPanel id="agent_bob" onClose={() => {}} />);
  expect(screen.getByText('From a later version')).toBeTruthy();
  expect(container.querySelector('.face-badge')!.getAttribute('stroke')).toBe('#8a6b5c');
});

it('marks scripted agents, whatever their runner is called', () => {
  const snapshot = { ...rows, seq: 1, agents: agents.slice(0, 3), sources };
  draw(office(snapshot), <AgentPanel id="agent_bd" onClose={() => {}} />);
  expect(screen.getByText('Toy Script').className).toBe('tag rehearsal');
  cleanup();
  draw(office(snapshot), <Welcome />);
  expect(screen.getByText(/This is a rehearsal/)).toBeTruthy();
  cleanup();
  draw(office({ ...snapshot, agents }), <Welcome />);
  expect(screen.queryByText(/This is a rehearsal/)).toBeNull();
});

it('keeps the sources across deltas, and drops them on a reset', () => {
  const { store } = office({ ...rows, seq: 1, agents, sources });
  const ada = () => store.agents.value.find((a) => a.agent_id === 'agent_ada');
  const before = ada();
  store.apply({ type: 'snapshot', id: 'snap_2', ts: 2, v: 1, payload: { ...rows, seq: 2, mode: 'delta', base: 'snap_1', agents: [] } });
  expect(ada()).toBe(before);
  store.apply({ type: 'snapshot', id: 'snap_3', ts: 3, v: 1, payload: { ...rows, seq: 3, agents, sources: [{ ...sources[0]!, label: 'Toy Agent 2' }] } });
  expect(ada()!.from!.label).toBe('Toy Agent 2');
  store.reset();
  expect(store.sources.value).toEqual([]);
});
