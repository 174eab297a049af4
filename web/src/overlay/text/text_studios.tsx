import { nobody, tallyRooms } from '../../world/campus.ts';
import { costWords, sumUsage } from '../../hud/usage.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/**
 * Shows a table of the studios with their usage and the number of people by activity; renders nothing while there
 * are no studios.
 */
export function TextStudios() {
  const { store } = useOffice();
  const rooms = store.campus.value.filter((p) => p.id !== 'garden');
  if (rooms.length < 2) return null;
  const agents = store.agents.value;
  const tally = tallyRooms(agents);
  const cost = (id: string) => costWords(sumUsage(agents.flatMap((a) => ((a.room_id ?? '') === id && a.usage) || [])));
  return (
    <section class="card text-part" aria-labelledby="text-studios">
      <h2 id="text-studios">
        Studios ({rooms.length})
      </h2>
      <div class="table-wrap" tabIndex={0} role="region" aria-label="Studios, table">
        <table>
          <thead>
            <tr>
              {[say.thingStudio, say.viewPeople, 'Working', 'Waiting', say.needsYou, 'Free', 'Cost'].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rooms.map(({ id, label }) => {
              const { total, working, waiting, needing, free } = tally.get(id) ?? nobody;
              return (
                <tr key={id}>
                  <th scope="row">
                    <Words>{label}</Words>
                  </th>
                  {[total, working, waiting, needing, free, cost(id)].map((value, i) => (
                    <td key={i}>{value}</td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
