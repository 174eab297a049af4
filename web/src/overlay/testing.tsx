import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signal, type Signal } from '@preact/signals';
import { vi } from 'vitest';
import { configure, render, type RenderResult } from '@testing-library/preact';
import type { ComponentChild } from 'preact';
import { ANSWER_UNDO_MS } from '../contracts/limits.gen.ts';
import type { Artifact, Decision, Project, SceneManifest, Source, Task } from '../contracts/protocol.gen.ts';
import { markColors } from '../look/marks.ts';
import { Focus } from '../world/focus.ts';
import type { CommandReply } from '../world/send.ts';
import { Settings } from '../world/settings.ts';
import { Store, type AgentView } from '../world/store.ts';
import { sourceNamed } from '../world/words.ts';
import type { LinkView } from './deps.ts';
import { Contents } from './artifact/content.ts';
import { OfficeContext, type Office } from './office.ts';
import { Shell } from './shell.ts';
import { loadViewer } from './work/open.tsx';

await loadViewer(); // the page loads it on first use

configure({ asyncUtilTimeout: 60_000 }); // waitFor may take a long time on a busy machine

export interface Bench extends Office {
  link: Signal<LinkView>;
  listOnly: Signal<boolean>;
  noRoom: Signal<string | null>;
  /** The commands sent so far. */
  sent: [string, object][];
  said: [string, string][];
  /** The reply to all commands and messages. */
  answer: CommandReply;
  /** Replies by decision id, used instead of `answer`. */
  answers: Readonly<Record<string, CommandReply>>;
}

/** Creates an office with a real store and shell. The server is faked, and so is the clock if `now` is given. */
export function bench(rows: { agents?: AgentView[]; tasks?: Task[]; projects?: Project[]; decisions?: Decision[]; artifacts?: Artifact[] } = {}, now?: () => number): Bench {
  const store = new Store(now);
  store.access.value = 'operator';
  store.agents.value = rows.agents ?? [];
  store.sources.value = sources;
  store.tasks.value = rows.tasks ?? [];
  store.projects.value = rows.projects ?? [];
  store.decisions.value = rows.decisions ?? [];
  store.artifacts.value = rows.artifacts ?? [];
  const deps = {
    store,
    focus: new Focus(),
    settings: new Settings(null, ''),
    link: signal<LinkView>({ phase: 'live', attempt: 0, retryAt: null }),
    listOnly: signal(false),
    noRoom: signal<string | null>(null),
    sent: [] as [string, object][],
    said: [] as [string, string][],
    answer: { ok: true } as CommandReply,
    answers: {} as Readonly<Record<string, CommandReply>>,
    send: (name: string, data: object) => {
      deps.sent.push([name, data]);
      return Promise.resolve(deps.answers[(data as { decision_id?: string }).decision_id ?? ''] ?? deps.answer);
    },
    say: (thread: string, text: string) => {
      deps.said.push([thread, text]);
      return Promise.resolve(deps.answer);
    },
  };
  return Object.assign(deps, { shell: new Shell(deps), contents: new Contents(store) });
}

/** Returns a built-in scene. */
export function scene(id: string): SceneManifest {
  return JSON.parse(readFileSync(join(process.cwd(), '../contracts/scenes', `${id}.json`), 'utf8')) as SceneManifest;
}

/** Opens a room next to the house for each label, starting with room_1. */
export function openStudios({ store }: Office, ...labels: string[]): void {
  store.scene.value = scene('cozy_office_v0');
  store.modules.value = new Map(['studio_v0', 'garden_v0'].map((id) => [id, scene(id)]));
  store.rooms.value = labels.map((label, i) => ({ room_id: `room_${i + 1}`, key: `/src/${label}`, label, module: 'studio', plot: [i + 1, 0], accent: 'blue', desks: 1 }));
}

/** Advances the clock until answers can no longer be undone. Needs vi.useFakeTimers. */
export function undoOver(): void {
  vi.advanceTimersByTime(ANSWER_UNDO_MS);
}

export function draw(office: Office, what: ComponentChild): RenderResult {
  return render(<OfficeContext.Provider value={office}>{what}</OfficeContext.Provider>);
}

/** The descriptions of a vendor and of the rehearsal, as the server sends them. */
const sources: readonly Source[] = [
  { source: 'claude', label: 'Claude Code', color: markColors.carry },
  { source: 'rehearsal', label: 'Rehearsal', color: markColors.idle, scripted: true },
];

/** The controls of crew members, as the server sends them. */
const crewControls = ['stop_agent', 'kill_agent', 'new_session', 'switch_agent', 'handover', 'chat'];

export function agent(id: string, more: Partial<AgentView> = {}): AgentView {
  const from = sourceNamed(sources, more.source || more.runner);
  const controls = more.source ? [] : crewControls;
  return { agent_id: id, name: id.replace('agent_', ''), state: 'IdleAtHome', pos: [0, 0, 0], controls, ...(from && { from }), ...more };
}
export const task = (id: string, more: Partial<Task> = {}): Task => ({ task_id: id, project_id: 'proj_a', title: `Task ${id}`, status: 'planned', ...more });
export const project = (more: Partial<Project> = {}): Project => ({ project_id: 'proj_a', title: 'Tea shop', status: 'executing', ...more });
export const decision = (more: Partial<Decision> = {}): Decision => ({ decision_id: 'dec_a', project_id: 'proj_a', status: 'open', prompt: 'Who is it for?', options: ['Yes, everybody', 'No, few'], asked_by: 'agent_bram', asked_at: 5, ...more });
export const artifact = (more: Partial<Artifact> = {}): Artifact => ({ artifact_id: 'art_a', project_id: 'proj_a', type: 'report', title: 'Report', status: 'in_review', version: 1, mime: 'text/markdown', created_by: 'agent_bram', task_id: 'task_a', ...more });
