import { nobody, tallyParts, tallyRooms, type Placed, type Tally } from '../../world/campus.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { showRoom } from './go.ts';
import { Hue } from './hue.tsx';
import * as say from '../../contracts/words.gen.ts';

/** The list of rooms with the number of people in each; a click shows the room. Empty while there is only the house. */
export function StudioList() {
  const { store } = useOffice();
  const rooms = store.campus.value.filter((p) => p.id !== 'garden');
  if (rooms.length < 2) return null;
  const tally = tallyRooms(store.agents.value);
  return (
    <nav class="card studios" aria-label="Studios">
      <h2>Studios</h2>
      <ul>
        {rooms.map((p) => (
          <StudioRow key={p.id} place={p} tally={tally.get(p.id) ?? nobody} />
        ))}
      </ul>
    </nav>
  );
}

function StudioRow({ place, tally }: { place: Placed; tally: Tally }) {
  const office = useOffice();
  const here = office.focus.room.value === place.id;
  return (
    <li>
      <button
        type="button"
        class={`studio-row${tally.needing > 0 ? ' studio-needs' : ''}`}
        aria-current={here ? 'true' : undefined}
        onClick={() => showRoom(office, place.id)}
      >
        <Hue of={place} />
        <b>
          <Words>{place.label}</Words>
        </b>
        <span class="studio-bar" aria-hidden="true">
          {tallyParts(tally).map(([part, n]) => (
            <i key={part} class={`studio-${part}`} style={{ flexGrow: n }} />
          ))}
        </span>
        <span class="studio-total" aria-hidden="true">
          {tally.total}
        </span>
        {tally.needing > 0 && <em aria-hidden="true">{tally.needing}</em>}
        <span class="unseen">
          {say.people(tally.total)}
          {tally.needing > 0 && ` · ${say.needYou(tally.needing)}`}
        </span>
      </button>
    </li>
  );
}
