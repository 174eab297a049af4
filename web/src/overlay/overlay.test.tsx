import { signal } from '@preact/signals';
import { cleanup, screen, waitFor } from '@testing-library/preact';
import { afterEach, expect, it } from 'vitest';
import { mountOverlay } from './overlay.tsx';
import { agent, bench, decision } from './testing.tsx';

afterEach(cleanup);

it('mounts, shows the agent selected in the room, announces needs, and unmounts completely', async () => {
  const office = bench({ agents: [agent('agent_bram')] });
  const root = document.body.appendChild(document.createElement('div'));
  const unmount = mountOverlay(root, office);
  expect(root.querySelector('.request')).toBeTruthy();
  office.focus.selected.value = { kind: 'agent', id: 'agent_bram' };
  await waitFor(() => expect(screen.getByLabelText('About bram')).toBeTruthy());
  office.focus.selected.value = null;
  await waitFor(() => expect(root.querySelector('#needs')).toBeTruthy());
  office.store.decisions.value = [decision()];
  await waitFor(() => expect(root.textContent).toContain('1 thing needs you. bram needs your answer: Who is it for?'));
  unmount();
  expect(root.childNodes).toHaveLength(0);
});

it('is the text view when there is no 3D view', () => {
  const root = document.body.appendChild(document.createElement('div'));
  const unmount = mountOverlay(root, { ...bench(), listOnly: signal(true) });
  expect(root.querySelector('main#text-main')).toBeTruthy();
  expect(root.querySelector('.dock')).toBeNull();
  unmount();
});

it('switches to the text view and back when the 3D view is lost and restored', async () => {
  const office = bench();
  const root = document.body.appendChild(document.createElement('div'));
  const unmount = mountOverlay(root, office);
  office.listOnly.value = true;
  await waitFor(() => expect(root.querySelector('main#text-main')).toBeTruthy());
  office.listOnly.value = false;
  await waitFor(() => expect(root.querySelector('.dock')).toBeTruthy());
  expect(root.querySelector('main#text-main')).toBeNull();
  unmount();
});
