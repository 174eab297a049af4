import { useOffice } from '../office.ts';
import { Words } from '../kit/words.tsx';
import { linkWords } from './link_words.ts';

const SETTLED = new Set(['completed', 'archived']);

/** Where you are and whether what you see is live. */
export function Chip() {
  const { store, link, shell } = useOffice();
  const words = linkWords(link.value, shell.clock.value);
  const people = store.agents.value.length;
  const projects = store.projects.value.filter((p) => !SETTLED.has(p.status)).length;
  return (
    <header class={`card chip chip-${words.tone}`}>
      <h1>
        <Words>{store.scene.value?.label ?? 'Office'}</Words>
      </h1>
      <span class="chip-link" role="status">
        <span class="dot" aria-hidden="true" />
        {words.word}
      </span>
      {words.tone === 'live' ? (
        <span class="chip-count">
          {count(people, 'person', 'people')} · {count(projects, 'project', 'projects')}
        </span>
      ) : (
        words.more && <span class="chip-count">{words.more}</span>
      )}
    </header>
  );
}

export const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
