import { useComputed } from '@preact/signals';
import type { Need } from '../../world/store.ts';
import { nameOf } from '../agent/name.ts';
import { Refusal } from '../kit/refusal.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Formats how many agents are asking the same question, or how many times a single agent asked it. */
export function sameWords(card: readonly Need[]): string {
  const agents = new Set(card.map((n) => n.agent_id)).size;
  return agents > 1 ? say.sameQuestion(agents) : say.askedTimes(card.length);
}

/** Lists the agents that are waiting for the same answer, with a button to answer them one by one. */
export function Same({ card }: { card: readonly Need[] }) {
  const { shell, store } = useOffice();
  const key = card[0]!.same;
  if (card.length < 2 || key === undefined) return null;
  const names = [...new Set(card.map((n) => (n.agent_id ? nameOf(store.agents.value, n.agent_id) : say.script)))];
  const { oneByOne } = shell.answerQueue;
  return (
    <p class="same">
      <span class="strong">{sameWords(card)}:</span> <Words>{names.join(', ')}</Words>{' '}
      <button type="button" class="link" onClick={() => (oneByOne.value = new Set([...oneByOne.peek(), key]))}>
        One by one
      </button>
    </p>
  );
}

/** Shows why answers to a card were refused. */
export function Refusals({ card }: { card: readonly Need[] }) {
  return (
    <>
      {card.map((need) => (
        <RefusalOf key={need.ref} need={need} />
      ))}
    </>
  );
}

function RefusalOf({ need }: { need: Need }) {
  const { shell } = useOffice();
  return <Refusal of={useComputed(() => shell.answerQueue.refused.value.get(need.ref) ?? null)} />;
}
