import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AgentView } from '../../world/store.ts';
import { Chip } from '../frame/chip.tsx';
import { StatusLines } from '../frame/status_line.tsx';
import { Feed } from '../feed/feed.tsx';
import { agent, bench, decision, draw } from '../testing.tsx';
import { AgentPanel } from './agent_panel.tsx';
import { folded, inFamilies, People } from './people.tsx';
import { controlReason } from './runner.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const guest = (id: string, more: Partial<AgentView> = {}): AgentView => ({ ...agent(id, { source: 'claude' }), role: 'guest', activity: 'working', ...more });
const used = { tokens_in: 182_400, tokens_out: 9100, cost_usd: 0, priced: 0, unpriced: 4 };
const text = () => document.body.textContent;

describe('guest panel', () => {
  const ada = guest('agent_ada', { place: '~/shop', model: 'opus', why: 'A tool runs.', authority: 'hook', since: 1, usage: used, evidence: [{ source: 'hook', says: 'PreToolUse Bash', at: 1, until: 2 }] });

  it('shows the reason, the authority and the evidence; cost without a price is unknown', () => {
    draw(bench({ agents: [ada, guest('agent_sub', { parent_id: 'agent_ada' })] }), <AgentPanel id="agent_ada" onClose={() => {}} />);
    for (const words of ['Claude Code · ~/shop', 'opus', 'A tool runs.', 'Decided by its hook', 'PreToolUse Bash', 'expired', 'cost unknown', '182k in', 'Sub-agents (1)']) expect(text()).toContain(words);
    expect(text()).not.toContain('$0.00');
    expect(screen.queryByText('Chat')).toBeNull();
    expect(document.querySelector('.say')).toBeNull();
  });

  it('shows each fact once, without wire words', () => {
    const at = Date.now() - 11 * 60_000;
    const busy = { ...ada, needs_you: false, status_line: '⚡ make', why: 'Working: ⚡ make (hook: PreToolUse Bash)', since: at, evidence: [{ source: 'program' as const, says: 'busy', at }] };
    draw(bench({ agents: [busy] }), <AgentPanel id="agent_ada" onClose={() => {}} />);
    const once = (words: string) => expect(text().split(words), words).toHaveLength(2);
    for (const words of ['Working', '⚡ make', 'Decided by its hook', ' · for 11 min', "its program's list"]) once(words);
    expect(text()).not.toContain('PreToolUse');
  });

  it('shows its last answer', () => {
    draw(bench({ agents: [{ ...ada, said: 'All tests pass.' }] }), <AgentPanel id="agent_ada" onClose={() => {}} />);
    expect(text()).toContain('All tests pass.');
  });

  it('loads the explanation on request', async () => {
    const explanation = { why: 'Silence for 90 s.', authority: 'silence', evidence: [{ source: 'silence', says: 'nothing for 90 s', at: 1 }], decays_at: Date.now() * 2, pid: 4711, recent: [{ label: 'Bash npm test', at: 1 }], outpost: { name: 'laptop', state: 'connected', agents: 1, version: '1.2.0' } };
    const read = vi.fn(() => Promise.resolve(new Response(JSON.stringify(explanation))));
    vi.stubGlobal('fetch', read);
    draw(bench({ agents: [ada] }), <AgentPanel id="agent_ada" onClose={() => {}} />);
    fireEvent.click(screen.getByText('Explain'));
    await waitFor(() => expect(text()).toContain('Silence for 90 s.'));
    expect(read).toHaveBeenCalledWith('/v1/agents/agent_ada/explain', { credentials: 'same-origin' });
    for (const words of ['its inactivity', 'nothing for 90 s', 'process 4711', 'Bash npm test', 'left', 'Runs on outpost laptop: Connected', '1 agent · Bullpen 1.2.0']) expect(text()).toContain(words);
  });

  const drawn = (of: AgentView) => {
    cleanup();
    draw(bench({ agents: [of] }), <AgentPanel id={of.agent_id} onClose={() => {}} />);
    return [...document.querySelectorAll('.controls button')].map((b) => b.textContent);
  };

  it('shows the controls that the server lists, and no others', () => {
    expect(drawn(ada)).toEqual([]);
    for (const words of ['Controls', 'Chat', 'own terminal']) expect(text()).not.toContain(words);
    expect(drawn(guest('agent_claw', { source: 'openclaw', controls: ['stop_agent', 'new_session'] }))).toEqual(['Stop', 'New session']);
    expect(screen.queryByLabelText('Switch or hand over to')).toBeNull();
    expect(document.querySelector('.say')).toBeNull();
    expect(drawn(guest('agent_new', { source: 'a kind of later', controls: ['kill_agent', 'chat', 'sing'] }))).toEqual(['Kill']);
    expect(document.querySelector('.say')).not.toBeNull();
    expect(screen.getByText('Chat')).toBeTruthy();
  });

  it('shows why a control is disabled', () => {
    const claw = guest('agent_claw', { source: 'openclaw' });
    expect([controlReason(claw, 'stop_agent'), controlReason(claw, 'new_session')]).toEqual([null, null]);
    expect(controlReason({ ...claw, activity: 'idle' }, 'stop_agent')).toMatch(/Nothing is running/);
    expect(controlReason({ ...claw, activity: 'offline' }, 'new_session')).toMatch(/offline/);
  });
});

it('ended sessions of one folder are one entry', () => {
  const ended = (id: string, place: string) => guest(id, { activity: 'offline', place });
  const list = [ended('agent_1', '~/shop'), guest('agent_2', { place: '~/shop' }), ended('agent_3', '~/shop'), ended('agent_4', '~/blog')];
  expect(folded(list)[0].map((g) => g.agent_id)).toEqual(['agent_2', 'agent_4']);
  draw(bench({ agents: list }), <People />);
  expect(screen.getByText('Guests · 2')).toBeTruthy();
  const entry = document.querySelector('details.ended');
  expect(entry?.querySelector('summary')?.textContent).toBe('shop: 2 ended sessions');
  expect(entry?.querySelectorAll('.person')).toHaveLength(2);
});

it('guests are listed after the crew, sub-agents below their parent', () => {
  const list = [guest('agent_s2', { parent_id: 'agent_a' }), guest('agent_a'), guest('agent_b'), guest('agent_s1', { parent_id: 'agent_a' }), guest('agent_x', { parent_id: 'agent_y' }), guest('agent_y', { parent_id: 'agent_x' })];
  expect(inFamilies(list).map((g) => g.agent_id)).toEqual(['agent_a', 'agent_s2', 'agent_s1', 'agent_b', 'agent_x', 'agent_y']);
  draw(bench({ agents: [agent('agent_crew'), ...list] }), <People />);
  expect(screen.getByText('Guests · 6')).toBeTruthy();
  expect(document.querySelectorAll('.sub')).toHaveLength(4);
});

it('agents that are waiting for you are listed first', () => {
  draw(bench({ agents: [agent('agent_crew'), guest('agent_a'), guest('agent_b')], decisions: [decision({ asked_by: 'agent_b' })] }), <People />);
  expect([...document.querySelectorAll('h3')].map((h) => h.textContent)).toEqual(['Need you · 1', 'Crew · 1', 'Guests · 1']);
  expect(document.querySelector('.person')?.textContent).toContain('Answer the question');
  expect(document.querySelector('.person .strong')?.textContent).toBe('b');
});

it('the chip counts guests separately and shows how many reports have no price', () => {
  const office = bench({ agents: [agent('agent_crew'), guest('agent_a')] });
  office.store.usage.value = { day: '2026-11-15', today: used, lifetime: { ...used, cost_usd: 12.5, priced: 3 } };
  draw(office, <Chip />);
  expect(text()).toContain('1 crew member · 1 guest · 0 projects');
  expect(text()).toContain('192k tokens today · ≥ $12.50 all time');
  expect(document.querySelector('.chip-cost')!.getAttribute('title')).toContain('No price for 4 of 7 reports');
});

it('a run shows its progress, and a question links to its card while it is open', async () => {
  const office = bench({ agents: [guest('agent_a')], decisions: [decision({ decision_id: 'dec_q' })] });
  office.store.status.value = [
    { key: 'p', kind: 'progress', seq: 1, ts: 1, text: 'Compiling', percent: 33.4, eta_s: 210, agent_id: 'agent_a' },
    { key: 'q', kind: 'ask', seq: 2, ts: 1, text: 'Which colour?', decision_id: 'dec_q' },
    { key: 'r', kind: 'ask', seq: 3, ts: 1, text: 'Over', decision_id: 'dec_gone' },
  ];
  draw(office, <StatusLines />);
  expect(text()).toContain('33% · 3 m 30 s left');
  expect(text()).not.toContain('Over');
  fireEvent.click(screen.getByText('Answer'));
  expect([office.shell.need.value, office.shell.panel.value]).toEqual(['dec_q', 'needs']);
});

it('the event list shows which events were ignored, and why', async () => {
  const office = bench({ agents: [guest('agent_a')] });
  office.store.uiLog.value = [
    { id: 'a', seq: 1, ts: 1, ui: { name: 'abstract.status', kind: 'status', normalized: { text: 'Indexing' }, raw: {} } },
    { id: 'b', seq: 2, ts: 1, ui: { name: 'Abstract.Status', raw: { text: 'x' } as never, ignored: 'Names are case-sensitive.' } },
  ];
  draw(office, <Feed />);
  fireEvent.change(screen.getByLabelText('Kind'), { target: { value: 'ignored' } });
  await waitFor(() => expect(text()).toContain('Names are case-sensitive.'));
  expect(text()).not.toContain('Indexing');
  fireEvent.change(screen.getByLabelText('Kind'), { target: { value: 'ui' } });
  await waitFor(() => expect(text()).toContain('Indexing'));
  fireEvent.click(document.querySelector('.feed-row')!);
  await waitFor(() => expect(text()).toContain('raw'));
});
