import { Building2, LayoutGrid, User } from 'lucide';
import * as say from '../../contracts/words.gen.ts';
import type { Step } from '../../world/focus.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice, type Office } from '../office.ts';

const steps = [
  { step: 'campus', label: 'Campus', key: 'C', icon: LayoutGrid },
  { step: 'studio', label: 'Studio', key: 'S', icon: Building2 },
  { step: 'person', label: say.thingPerson, key: 'P', icon: User },
] as const;

/** Moves the camera to one of its three distances: everything, the room in view, or a person in it. */
export function goTo({ store, focus }: Office, step: Step): boolean {
  if (store.campus.peek().length < 2) return false;
  focus.follow.value = null;
  const room = focus.room.peek() ?? firstNeeding(store) ?? '';
  if (step === 'campus') focus.lookAt.value = 'room';
  else if (step === 'studio') focus.lookAt.value = { kind: 'studio', id: room };
  else focus.lookAt.value = personIn(room, { store, focus });
  return true;
}

/** Returns the room of the agent that has needed a person longest; undefined if there is none. */
function firstNeeding(store: Office['store']): string | undefined {
  const agent = store.needs.peek()[0]?.agent_id;
  return agent === undefined ? undefined : store.agents.peek().find((a) => a.agent_id === agent)?.room_id;
}

/** Returns the selected agent, or an agent in the room, preferably one that needs a person; the room if it is empty. */
function personIn(room: string, { store, focus }: Pick<Office, 'store' | 'focus'>): Office['focus']['lookAt']['value'] {
  const selected = focus.selected.peek();
  if (selected?.kind === 'agent') return selected;
  const here = store.agents.peek().filter((a) => (a.room_id ?? '') === room && a.activity !== 'offline');
  const agent = here.find((a) => a.needs_you) ?? here[0];
  return agent ? { kind: 'agent', id: agent.agent_id } : { kind: 'studio', id: room };
}

/** The buttons for the three distances of the camera, while there is more than the house. */
export function Distances() {
  const office = useOffice();
  if (office.store.campus.value.length < 2) return null;
  return (
    <div class="card distances" role="group" aria-label="Camera">
      {steps.map(({ step, label, key, icon }) => (
        <button key={step} type="button" class="distance" title={`${label} (${key})`} aria-pressed={office.focus.step.value === step} onClick={() => goTo(office, step)}>
          <Icon of={icon} />
          {label}
        </button>
      ))}
    </div>
  );
}
