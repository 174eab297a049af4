import { accents } from '../../look/accents.ts';
import { nobody, tallyRooms, type Placed, type Tally } from '../../world/campus.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

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
  const { focus } = useOffice();
  const here = focus.room.value === place.id;
  return (
    <li>
      <button
        type="button"
        class={`studio-row${tally.needing > 0 ? ' studio-needs' : ''}`}
        aria-current={here ? 'true' : undefined}
        onClick={() => {
          focus.follow.value = null;
          focus.lookAt.value = { kind: 'studio', id: place.id };
        }}
      >
        <i class="studio-hue" style={{ background: accents[place.room?.accent ?? 'teal']?.[0] }} aria-hidden="true" />
        <b>
          <Words>{place.label}</Words>
        </b>
        <span class="studio-bar" aria-hidden="true">
          {([['w', tally.working], ['q', tally.waiting], ['y', tally.needing]] as const).map(
            ([part, n]) => n > 0 && <i key={part} class={`studio-${part}`} style={{ flexGrow: n }} />,
          )}
        </span>
        <span class="studio-total">
          {tally.total}
          <span class="unseen"> people</span>
        </span>
        {tally.needing > 0 && (
          <em>
            {tally.needing}
            <span class="unseen"> need you</span>
          </em>
        )}
      </button>
    </li>
  );
}
