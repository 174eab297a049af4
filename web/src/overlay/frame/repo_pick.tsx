import type { Signal } from '@preact/signals';
import { FolderGit2 } from 'lucide';
import { useEffect } from 'preact/hooks';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Lets the user choose the repository that a request is about. Shows nothing in an office without repositories. */
export function RepoPick({ chosen }: { chosen: Signal<string> }) {
  const { store } = useOffice();
  const names = store.repos.value.map((repo) => repo.name);
  const gone = chosen.value !== '' && !names.includes(chosen.value);
  useEffect(() => {
    if (gone) chosen.value = '';
  }, [gone]);
  if (names.length === 0) return null;
  return (
    <span class="repo-pick" title={`${say.thingRepo}: ${chosen.value || say.noRepo}`}>
      <Icon of={FolderGit2} size={18} />
      {chosen.value !== '' && <span class="clip">{chosen.value}</span>}
      <select aria-label={say.thingRepo} value={chosen.value} onChange={(e) => (chosen.value = e.currentTarget.value)}>
        <option value="">{say.noRepo}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
