import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Dialog } from '../kit/dialog.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { fuzzyFinder, paletteItems, plainFinder, type Finder, type Item } from './items.ts';
import * as say from '../../contracts/words.gen.ts';

/** The command palette: a search field for actions, studios, agents, questions, tasks, deliverables and projects. */
export function Palette() {
  const office = useOffice();
  const { shell } = office;
  const query = useSignal('');
  const at = useSignal(0);
  const finder = useSignal<Finder>(() => []);
  const items = useMemo(() => paletteItems(office), []);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    finder.value = plainFinder;
    void fuzzyFinder().then((f) => (finder.value = f));
  }, []);
  const found = finder.value(items, query.value);
  const chosen = Math.min(at.value, found.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView?.({ block: 'nearest' });
  }, [chosen]);
  const run = (item: Item | undefined) => {
    if (!item) return;
    shell.dialog.value = null;
    item.run();
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === 'ArrowDown') at.value = Math.min(chosen + 1, found.length - 1);
    else if (e.key === 'ArrowUp') at.value = Math.max(chosen - 1, 0);
    else if (e.key === 'Enter' && !e.isComposing) run(found[chosen]);
    else return;
    e.preventDefault();
  };
  return (
    <Dialog title={say.findAnything} label={say.findAnything} class="small-dialog palette" onClose={() => (shell.dialog.value = null)}>
      <input
        class="field"
        dir="auto"
        type="text"
        role="combobox"
        autofocus
        aria-label="Find"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] ? `palette-${chosen}` : undefined}
        placeholder={office.store.campus.value.length > 1 ? 'An agent, a studio, a piece of work…' : say.findHint}
        value={query.value}
        onInput={(e) => {
          query.value = e.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} id="palette-list" class="found" role="listbox" aria-label="Results">
        {found.map((item, i) => (
          <li key={item.id} id={`palette-${i}`} role="option" aria-selected={i === chosen} class="row" onClick={() => run(item)} onPointerMove={() => (at.value = i)}>
            <Words class="clip">{item.label}</Words>
            <span class="soft small clip">{item.hint}</span>
            <span class="tag">{item.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="empty">{say.nothingFound}</p>}
    </Dialog>
  );
}
