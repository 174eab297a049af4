import { deskWords } from '../../world/desk_words.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/**
 * Lists what the objects on an agent's desk show: a failed call, the to-do list, the length of the conversation.
 */
export function AtDesk({ id }: { id: string }) {
  const { store } = useOffice();
  const words = deskWords(store.desks.value.get(id) ?? {});
  if (words.length === 0) return null;
  return (
    <ul class="soft small at-desk">
      {words.map((line) => (
        <li key={line}>
          <Words>{line}</Words>
        </li>
      ))}
    </ul>
  );
}
