import type { Checked as State } from '../../contracts/protocol.gen.ts';
import { checkedWords } from '../../world/checked.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/** Shows whether an agent's edits were checked; renders nothing if no edit was seen. */
export function Checked({ of }: { of: State | undefined }) {
  const { store } = useOffice();
  if (!of) return null;
  return (
    <p class="soft small">
      <Words>{checkedWords(of, new Date(store.now()))}</Words>
    </p>
  );
}
