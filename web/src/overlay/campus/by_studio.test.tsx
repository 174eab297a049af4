import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import type { HudNode } from '../../hud/tree.ts';
import type { AgentView } from '../../world/store.ts';
import { Activity } from '../activity/activity.tsx';
import { People } from '../agent/people.tsx';
import { CostDialog } from '../frame/cost_dialog.tsx';
import { OfficeCost } from '../frame/office_cost.tsx';
import { nextNeed } from '../needs/answer.ts';
import { Inbox } from '../needs/inbox.tsx';
import { agent, bench, decision, draw, openStudios, type Bench } from '../testing.tsx';

afterEach(cleanup);

const guest = (id: string, room?: string, more: Partial<AgentView> = {}): AgentView => agent(id, { source: 'claude', activity: 'working', state: 'WorkingAtPOI', ...(room && { room_id: room }), ...more });
const heads = () => screen.queryAllByRole('button', { expanded: true }).concat(screen.queryAllByRole('button', { expanded: false })).map((b) => b.textContent);
const ask = (id: string, by: string, at: number) => decision({ decision_id: id, asked_by: by, asked_at: at, prompt: `Question ${id}?` });
const used = (usd: number) => ({ tokens_in: 1000, tokens_out: 100, cost_usd: usd, priced: 1, unpriced: 0 });

/** An office with two studios and someone in each room. */
function campus(): Bench {
  const office = bench({
    agents: [agent('agent_home', { usage: used(0.5) }), guest('agent_a', 'room_1', { usage: used(1) }), guest('agent_b', 'room_2', { usage: used(2) }), guest('agent_c', 'room_1', { usage: used(3) })],
  });
  openStudios(office, 'shop-api', 'mobile');
  return office;
}

describe('people', () => {
  it('have no studio headings while there is only the house', () => {
    const office = campus();
    office.store.rooms.value = [];
    draw(office, <People />);
    expect(heads()).toEqual([]);
    expect(screen.getAllByRole('heading', { level: 3 }).map((h) => h.textContent)).toEqual(['Crew · 1', 'Guests · 3']);
  });

  it('are listed by studio, with counts, in the order of the list of studios', () => {
    const office = campus();
    office.store.decisions.value = [ask('d1', 'agent_b', 1)];
    office.store.agents.value = office.store.agents.value.map((a) => (a.agent_id === 'agent_b' ? { ...a, needs_you: true } : a));
    draw(office, <People />);
    expect(heads()).toEqual(['Cozy office1 free', 'shop-api2 working', 'mobile1 needs you']);
  });

  it('of a long list are folded, except where someone needs you', () => {
    const office = campus();
    const many = Array.from({ length: 30 }, (_, i) => guest(`agent_${i}`, 'room_1'));
    office.store.agents.value = [...many, guest('agent_x', 'room_2', { needs_you: true })];
    office.store.decisions.value = [ask('d1', 'agent_x', 1)];
    draw(office, <People />);
    expect(screen.getByRole('button', { name: /shop-api/ }).getAttribute('aria-expanded')).toBe('false');
    expect(screen.getByRole('button', { name: /^x / })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: /shop-api/ }));
    expect(screen.getAllByRole('listitem')).toHaveLength(31);
  });
});

describe('the inbox', () => {
  it('groups cards by studio, the most urgent first, and Space follows this order', () => {
    const office = campus();
    office.store.decisions.value = [ask('d1', 'agent_a', 1), ask('d2', 'agent_b', 2), ask('d3', 'agent_c', 3)];
    draw(office, <Inbox />);
    expect(heads()).toEqual(['shop-api2', 'mobile1']);
    const order = [1, 2, 3].map(() => {
      nextNeed(office);
      return office.shell.need.value;
    });
    expect(order).toEqual(['d1', 'd3', 'd2']);
  });

  it('unfolds the studio of the card that is opened', async () => {
    const office = campus();
    office.store.decisions.value = [ask('d1', 'agent_a', 1), ask('d2', 'agent_b', 2)];
    draw(office, <Inbox />);
    fireEvent.click(screen.getByRole('button', { name: /mobile/ }));
    expect(screen.queryByText('Question d2?')).toBeNull();
    office.shell.need.value = 'd2';
    await waitFor(() => expect(within(screen.getByRole('article')).getByText('Question d2?')).toBeTruthy());
  });

  it('shows needs of scripts with the house', () => {
    const office = campus();
    const { asked_by: _, ...nobodys } = ask('d1', '', 1);
    office.store.decisions.value = [nobodys];
    draw(office, <Inbox />);
    expect(heads()).toEqual(['Cozy office1']);
  });
});

describe('activity', () => {
  const turn = (id: string, of: string, state: HudNode['state']): HudNode => ({ id, type: 'turn', state, label: `Turn ${id}`, startedAt: 1, children: [], replay: false, agent_id: of });

  it('is listed by studio', () => {
    const office = campus();
    office.store.hud.value = [turn('t1', 'agent_b', 'done'), turn('t2', 'agent_a', 'running'), turn('t3', 'agent_c', 'done')];
    draw(office, <Activity />);
    expect(heads().slice(0, 2)).toEqual(['shop-api1 running · 2', 'mobile0 running · 1']);
  });
});

describe('cost', () => {
  it('opens by studio, with a sum for each', () => {
    const office = campus();
    office.store.usage.value = { day: '2026-11-17', today: used(4), lifetime: used(9) };
    draw(office, <OfficeCost />);
    fireEvent.click(screen.getByRole('button', { name: /today/i }));
    expect(office.shell.dialog.value).toEqual({ kind: 'cost' });
    cleanup();
    draw(office, <CostDialog />);
    expect(heads()).toEqual(['Cozy office$0.50', 'shop-api$4.00', 'mobile$2.00']);
    expect(screen.getByText(/All time: \$9\.00/)).toBeTruthy();
  });

  it('is plain text while there is only the house', () => {
    const office = campus();
    office.store.rooms.value = [];
    office.store.usage.value = { day: '2026-11-17', today: used(4), lifetime: used(9) };
    draw(office, <OfficeCost />);
    expect(screen.queryByRole('button')).toBeNull();
  });
});
