import { Building2, LayoutGrid, User } from 'lucide';
import * as say from '../../contracts/words.gen.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import { goTo } from './go.ts';

const steps = [
  { step: 'campus', label: 'Campus', key: 'C', icon: LayoutGrid },
  { step: 'studio', label: say.thingStudio, key: 'S', icon: Building2 },
  { step: 'person', label: say.thingPerson, key: 'P', icon: User },
] as const;

/** The buttons for the three camera distances, shown while the campus consists of more than the house. */
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
