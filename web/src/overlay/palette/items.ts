import { nobody, tallyParts, tallyRooms } from '../../world/campus.ts';
import { unstarted } from '../../world/needs.ts';
import type { AgentView, Need } from '../../world/store.ts';
import { needName } from '../agent/name.ts';
import { showAgent, showRoom } from '../campus/go.ts';
import type { Office } from '../office.ts';
import { requestField } from '../frame/request_field.ts';
import { activityWords, guestWords, projectWords, roleWords, stateWords, taskWords } from '../../world/words.ts';
import * as say from '../../contracts/words.gen.ts';

/** An entry in the palette; run() carries out its action. */
export interface Item {
  id: string;
  kind: string;
  label: string;
  hint: string;
  /** Additional search words for the entry; not shown. */
  more?: string;
  run: () => void;
}

/** Returns the entries of the command palette: actions, studios, agents, questions, tasks, deliverables, projects. */
export function paletteItems(office: Office): readonly Item[] {
  const { store, shell } = office;
  return [
    ...actions(office),
    ...studios(office),
    ...store.agents.peek().map((a): Item => ({
      id: a.agent_id,
      kind: say.thingAgent,
      label: a.name ?? a.agent_id,
      hint: a.source ? [guestWords(a), a.place, activityWords(a.activity ?? 'idle')].filter(Boolean).join(' · ') : `${roleWords(a.role)} · ${stateWords(a.state)}`,
      more: workOf(office, a),
      run: () => {
        shell.open({ kind: 'agent', id: a.agent_id });
        showAgent(office, a.agent_id);
      },
    })),
    ...store.needs.peek().flatMap((need) => question(office, need)),
    ...store.tasks.peek().map((t): Item => ({ id: t.task_id, kind: say.thingTask, label: t.title, hint: taskWords(t.status), run: () => shell.openBoard(t.task_id) })),
    ...store.artifacts.peek().map((a): Item => ({ id: a.artifact_id, kind: say.thingDeliverable, label: a.title ?? a.type, hint: `v${a.version}`, run: () => shell.open({ kind: 'artifact', id: a.artifact_id }) })),
    ...store.projects.peek().map((p): Item => ({ id: p.project_id, kind: say.thingProject, label: p.title, hint: projectWords(p.status), run: () => shell.showProject(p.project_id) })),
  ];
}

/** Returns the rooms of the campus, or none while there is only the house. */
function studios(office: Office): readonly Item[] {
  const rooms = office.store.campus.peek().filter((p) => p.id !== 'garden');
  if (rooms.length < 2) return [];
  const tally = tallyRooms(office.store.agents.peek());
  const hint = (id: string) => tallyParts(tally.get(id) ?? nobody).map(([, , words]) => words).join(' · ');
  return rooms.map((p): Item => ({ id: `studio:${p.id}`, kind: say.thingStudio, label: p.label, hint: hint(p.id), run: () => showRoom(office, p.id) }));
}

/** Returns the words that an agent can be found by: its studio, folder, status line and task. */
function workOf({ store }: Office, a: AgentView): string {
  const room = store.campus.peek().find((p) => p.room && p.id === a.room_id);
  const task = store.tasks.peek().find((t) => t.task_id === a.task_id);
  return [room?.label, a.place, a.status_line, task?.title].filter(Boolean).join(' ');
}

/** Returns a question or an ended session as an entry; plans and reviews are found as projects and deliverables. */
function question(office: Office, need: Need): readonly Item[] {
  if (need.kind === 'plan' || need.kind === 'review') return [];
  const { shell, store } = office;
  const { ref, title, agent_id } = need;
  const run = () => {
    if (agent_id !== undefined) showAgent(office, agent_id);
    shell.open({ kind: 'decision', id: ref });
  };
  return [{ id: `need:${ref}`, kind: need.kind === 'unchecked' ? 'Session' : 'Question', label: title || say.question, hint: needName(store.agents.peek(), need) ?? '', run }];
}

function actions({ shell, store, settings }: Office): readonly Item[] {
  const act = (id: string, label: string, hint: string, run: () => void): Item => ({ id: `act:${id}`, kind: say.thingAction, label, hint, run });
  const waiting = store.projects.peek().filter((p) => unstarted(p, store.tasks.peek()).length > 0);
  return [
    act('ask', say.askTheOffice, '/', () => setTimeout(() => requestField()?.focus(), 0)),
    act('needs', say.showNeeds, 'Space', () => shell.show('needs')),
    act('board', say.openBoard, 'B', () => shell.openBoard()),
    act('chat', say.chatWithOffice, '', () => shell.show('chat')),
    act('people', say.showPeople, '', () => shell.show('people')),
    act('activity', say.showActivity, '', () => shell.show('activity')),
    ...(store.campus.peek().length > 1 ? [act('cost', 'Show the cost by studio', '', () => (shell.dialog.value = { kind: 'cost' }))] : []),
    act('feed', 'Show events', 'T', () => shell.show('feed')),
    ...(shell.listOnly.peek() ? [] : [act('text', shell.textChosen.peek() ? 'Back to the room' : 'Text view', '', () => (shell.textChosen.value = !shell.textChosen.peek()))]),
    act('connect', 'Connect agents and models', 'H', () => (shell.dialog.value = { kind: 'connect' })),
    act('settings', 'Settings', '', () => (shell.dialog.value = { kind: 'settings' })),
    act('keys', say.viewKeys, '?', () => (shell.dialog.value = { kind: 'keys' })),
    act('sound', settings.sound.peek() ? 'Sound off' : 'Sound on', '', () => (settings.sound.value = !settings.sound.peek())),
    ...waiting.map((p) => act(`auto:${p.project_id}`, say.autoAssign(p.title), '', () => void shell.start(p.project_id))),
  ];
}

const SHOWN = 30;

/** Returns the items that match a query. plainFinder is used until the fuzzy finder is loaded. */
export type Finder = (items: readonly Item[], query: string) => readonly Item[];

export const plainFinder: Finder = (items, query) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((i) => words.every((w) => hay(i).toLowerCase().includes(w))).slice(0, SHOWN);
};

export async function fuzzyFinder(): Promise<Finder> {
  const { default: UFuzzy } = await import('@leeoniya/ufuzzy');
  const fuzzy = new UFuzzy({ intraMode: 1 });
  return (items, query) => {
    if (query.trim() === '') return items.slice(0, SHOWN);
    const [found, info, order] = fuzzy.search(items.map(hay), query);
    if (!found) return [];
    const ranked = order && info ? order.map((i) => info.idx[i]!) : found;
    return ranked.slice(0, SHOWN).map((i) => items[i]!);
  };
}

const hay = (item: Item): string => `${item.label} ${item.kind} ${item.more ?? ''}`;
