import { useOffice } from '../office.ts';
import { Words } from '../kit/words.tsx';
import { linkWords } from './link_words.ts';
import { OfficeCost } from './office_cost.tsx';
import * as say from '../../contracts/words.gen.ts';

const SETTLED = new Set(['completed', 'archived']);

/** Shows the office's name, the state of the connection, and the number of agents and open projects. */
export function Chip() {
  const { store, link, shell } = useOffice();
  const words = linkWords(link.value, shell.clock.value);
  const guests = store.agents.value.filter((a) => a.source).length;
  const crew = store.agents.value.length - guests;
  const projects = store.projects.value.filter((p) => !SETTLED.has(p.status)).length;
  return (
    <header class={`card chip chip-${words.tone}`}>
      <h1>
        <Words>{store.scene.value?.label ?? say.viewOffice}</Words>
      </h1>
      <span class="chip-link" role="status">
        <span class="dot" aria-hidden="true" />
        {words.word}
      </span>
      {words.tone === 'live' ? (
        <span class="chip-count">
          {(crew > 0 || guests === 0) && `${say.crew(crew)} · `}
          {guests > 0 && `${say.guests(guests)} · `}
          {say.projects(projects)}
        </span>
      ) : (
        words.more && <span class="chip-count">{words.more}</span>
      )}
      {words.tone === 'live' && <OfficeCost />}
    </header>
  );
}
