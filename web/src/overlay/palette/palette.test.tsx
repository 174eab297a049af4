import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, artifact, bench, draw, project, task } from '../testing.tsx';
import { fuzzyFinder, paletteItems, plainFinder } from './items.ts';
import { Palette } from './palette.tsx';

afterEach(cleanup);

const office = () => bench({ agents: [agent('agent_bram')], projects: [project()], tasks: [task('task_a', { title: 'Research tea' })], artifacts: [artifact()] });

describe('palette', () => {
  it('finds agents, tasks, deliverables and actions', async () => {
    const items = paletteItems(office());
    for (const finder of [plainFinder, await fuzzyFinder()]) {
      expect(finder(items, 'bram')[0]).toMatchObject({ kind: 'Person', id: 'agent_bram' });
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
});
