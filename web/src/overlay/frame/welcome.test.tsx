import { cleanup, fireEvent, screen, waitFor } from '@testing-library/preact';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, bench, draw, project } from '../testing.tsx';
import { RequestBar } from './request_bar.tsx';

afterEach(cleanup);

const crew = [agent('agent_ada', { runner: 'rehearsal' }), agent('agent_guest', { source: 'claude' })];
const chips = () => [...document.querySelectorAll('.examples button')];
const field = () => screen.getByLabelText('Ask the office for anything') as HTMLTextAreaElement;

describe('welcome', () => {
  it('shows examples that fill the field, and disappears once there is text', async () => {
    const office = bench({ agents: crew });
    draw(office, <RequestBar />);
    expect(chips()).toHaveLength(4);
    const words = chips()[1]!.textContent;
    fireEvent.click(chips()[1]!);
    await waitFor(() => expect(field().value).toBe(words));
    expect(document.activeElement).toBe(field());
    expect(chips()).toEqual([]);
    expect(office.sent).toEqual([]); // the user sends it
    fireEvent.input(field(), { target: { value: '' } });
    await waitFor(() => expect(chips()).toHaveLength(4));
  });

  it('explains the rehearsal and links to Connect', () => {
    const office = bench({ agents: crew });
    draw(office, <RequestBar />);
    expect(document.querySelector('.welcome p')!.textContent).toBe('This is a rehearsal: the crew follows a script and uses no model. Connect puts real agents at these desks.');
    fireEvent.click(screen.getByText('Connect'));
    expect(office.shell.dialog.value).toEqual({ kind: 'connect' });
  });

  it('does not mention a rehearsal if a real agent works here', () => {
    draw(bench({ agents: [...crew, agent('agent_bo', { runner: 'claude' })] }), <RequestBar />);
    expect(chips()).toHaveLength(4);
    expect(document.querySelector('.welcome p')).toBeNull();
  });

  it('is hidden once a project exists, and while no agent is here', () => {
    draw(bench({ agents: crew, projects: [project()] }), <RequestBar />);
    expect(document.querySelector('.welcome')).toBeNull();
    cleanup();
    draw(bench(), <RequestBar />);
    expect(document.querySelector('.welcome')).toBeNull();
  });

  it('shows nothing to viewers', () => {
    const office = bench({ agents: crew });
    office.store.access.value = 'viewer';
    draw(office, <RequestBar />);
    expect(document.querySelector('.welcome')!.textContent).toBe('This is a rehearsal: the crew follows a script and uses no model.');
    expect(document.querySelectorAll('.welcome button')).toHaveLength(0);
  });
});
