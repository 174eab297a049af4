import { Building2, LayoutGrid, User } from 'lucide';
import * as say from '../../contracts/words.gen.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import { goTo } from './go.ts';

const zoomLevels = [
  { zoomLevel: 'campus', label: 'Campus', key: 'C', icon: LayoutGrid },
  { zoomLevel: 'studio', label: say.thingStudio, key: 'S', icon: Building2 },
  { zoomLevel: 'person', label: 'Person', key: 'P', icon: User },
] as const;

/** The buttons for the camera's three zoom levels, shown while the campus consists of more than the house. */
export function Distances() {
  const office = useOffice();
  if (office.store.campus.value.length < 2) return null;
  return (
    <div class="card distances" role="group" aria-label="Camera">
      {zoomLevels.map(({ zoomLevel, label, key, icon }) => (
        <button
          key={zoomLevel}
          type="button"
          class="distance"
          title={`${label} (${key})`}
          aria-pressed={office.focus.zoomLevel.value === zoomLevel}
          onClick={() => goTo(office, zoomLevel)}
        >
          <Icon of={icon} />
          {label}
        </button>
      ))}
    </div>
  );
}
