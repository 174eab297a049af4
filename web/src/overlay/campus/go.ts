import type { Target, ZoomLevel } from '../../world/focus.ts';
import { peopleIn } from '../../world/campus.ts';
import type { Office } from '../office.ts';

/** Moves the camera to a room of the campus, or to the house if `id` is empty. */
export function showRoom({ focus }: Office, id: string): void {
  focus.follow.value = null;
  focus.lookAt.value = { kind: 'studio', id };
}

/** Moves the camera to an agent. */
export function showAgent({ focus }: Office, id: string): void {
  focus.follow.value = null;
  focus.lookAt.value = { kind: 'agent', id };
}

/** Moves the camera to a zoom level: everything, the room in view, or a person in it. */
export function goTo(office: Office, zoomLevel: ZoomLevel): boolean {
  const { store, focus } = office;
  if (store.campus.peek().length < 2) return false;
  const room = focus.room.peek() ?? firstNeeding(store) ?? '';
  const person = zoomLevel === 'person' ? personIn(room, office) : undefined;
  if (person !== undefined) {
    focus.selected.value = { kind: 'agent', id: person };
    showAgent(office, person);
  } else if (zoomLevel === 'campus') {
    focus.follow.value = null;
    focus.lookAt.value = 'room';
  } else {
    showRoom(office, room);
  }
  return true;
}

/**
 * Returns the targets of the keys 1 to 9: the rooms while the camera shows the campus, otherwise the people in the
 * room in view. If there is only the house, the targets are all agents.
 */
export function numbered({ store, focus }: Office): readonly Exclude<Target, string | readonly number[]>[] {
  const rooms = store.campus.value.filter((p) => p.id !== 'garden');
  if (rooms.length > 1 && focus.room.value === null) return rooms.map(({ id }) => ({ kind: 'studio', id }));
  const here = rooms.length > 1 ? peopleIn(focus.room.value ?? '', store.agents.value) : store.agents.value;
  return here.map((a) => ({ kind: 'agent', id: a.agent_id }));
}

/** Returns the room of the agent with the most urgent need, or undefined if there is none. */
function firstNeeding(store: Office['store']): string | undefined {
  const agent = store.needs.peek()[0]?.agent_id;
  return agent === undefined ? undefined : store.agents.peek().find((a) => a.agent_id === agent)?.room_id;
}

/**
 * Returns an agent in the room: the selected one, else one that needs a person, else any, or undefined if the room
 * is empty.
 */
function personIn(room: string, { store, focus }: Office): string | undefined {
  const selected = focus.selected.peek();
  const here = peopleIn(room, store.agents.peek());
  return (here.find((a) => a.agent_id === selected?.id) ?? here.find((a) => a.needs_you) ?? here[0])?.agent_id;
}
