import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, artifact, bench, decision, draw, openStudios, project, task } from '../testing.tsx';
import { fuzzyFinder, paletteItems, plainFinder } from './items.ts';
import { Palette } from './palette.tsx';

afterEach(cleanup);

const office = () => bench({ agents: [agent('agent_bram')], projects: [project()], tasks: [task('task_a', { title: 'Research tea' })], artifacts: [artifact()] });

describe('palette', () => {
  it('finds agents, tasks, deliverables and actions', async () => {
    const items = paletteItems(office());
    for (const finder of [plainFinder, await fuzzyFinder()]) {
      expect(finder(items, 'bram')[0]).toMatchObject({ kind: 'Agent', id: 'agent_bram' });
      expect(finder(items, 'research')[0]).toMatchObject({ kind: 'Task' });
      expect(finder(items, 'report')[0]).toMatchObject({ kind: 'Deliverable' });
      expect(finder(items, 'zzzz')).toEqual([]);
    }
  });

  it('runs the selected item by key and closes', async () => {
    const it = office();
    it.shell.dialog.value = { kind: 'palette' };
    draw(it, <Palette />);
    const field = screen.getByRole('combobox');
    fireEvent.input(field, { target: { value: 'bram' } });
    await waitFor(() => expect(screen.getByRole('option', { selected: true }).textContent).toContain('bram'));
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(it.shell.dialog.value).toBeNull();
    expect(it.shell.panel.value).toBe('agent');
    expect(it.focus.selected.value).toEqual({ kind: 'agent', id: 'agent_bram' });
  });

  it('finds studios, questions, and people by what they work on, and goes there', () => {
    const it = bench({ agents: [agent('agent_bram', { source: 'claude', room_id: 'room_1', status_line: 'Fix the checkout' })], decisions: [decision({ prompt: 'Deploy build 1408?' })] });
    openStudios(it, 'shop-api');
    const find = (query: string) => plainFinder(paletteItems(it), query);
    expect(find('shop-api studio')[0]).toMatchObject({ kind: 'Studio', label: 'shop-api', hint: '1 free' });
    find('shop-api studio')[0]!.run();
    expect(it.focus.lookAt.value).toEqual({ kind: 'studio', id: 'room_1' });
    for (const query of ['checkout', 'shop-api agent']) expect(find(query)[0]).toMatchObject({ kind: 'Agent', id: 'agent_bram' });
    it.focus.follow.value = 'agent_other';
    find('checkout')[0]!.run();
    expect([it.shell.panel.value, it.focus.follow.value, it.focus.lookAt.value]).toEqual(['agent', null, { kind: 'agent', id: 'agent_bram' }]);
    find('1408')[0]!.run();
    expect([it.shell.panel.value, it.shell.need.value]).toEqual(['needs', 'dec_a']);
    it.store.rooms.value = [];
    expect(find('studio')).toEqual([]);
  });
});
