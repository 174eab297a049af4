import { Check, Heart, Sparkles, Trophy, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { THREAD_BD } from '../../contracts/limits.gen.ts';
import type { Finale } from '../../world/finale.ts';
import { Face } from '../kit/face.tsx';
import { Icon } from '../kit/icon.tsx';
import { tookWords } from '../kit/time.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** How many deliverables the card lists; the rest are only counted. */
const LISTED = 6;

/** Shows the results of a project that was just completed; hidden while the user is typing or a dialog is open. */
export function FinaleCard() {
  const { focus, shell } = useOffice();
  const finale = focus.finale.value;
  const writing = useWriting(finale !== null);
  if (!finale || writing || shell.dialog.value !== null || shell.asText.value) return null;
  return <Card finale={finale} key={finale.project_id} />;
}

function Card({ finale }: { finale: Finale }) {
  const { focus, shell, store, say: send } = useOffice();
  const [thanked, setThanked] = useState(false);
  const close = () => (focus.finale.value = null);
  const open = (id: string) => shell.open({ kind: 'artifact', id });
  const result = finale.deliverables.at(-1);
  const more = finale.deliverables.length - LISTED;
  const thank = async () => {
    setThanked(true);
    const reply = await send(THREAD_BD, `Thanks, everyone, for “${finale.title}”.`);
    if (reply.ok) return;
    setThanked(false);
    shell.toast(reply.message, 'bad');
  };
  return (
    <section class="card finale" aria-label={say.projectFinished}>
      <span class="finale-cup"><Icon of={Trophy} size={26} /></span>
      <button type="button" class="icon-button finale-close" aria-label="Close" onClick={close}><Icon of={X} /></button>
      <p class="finale-done"><Icon of={Check} /> {say.projectStatuses.completed}</p>
      <h2><Words>{finale.title}</Words></h2>
      <p class="soft">{summaryOf(finale)}</p>
      <ul>
        {finale.deliverables.slice(0, LISTED).map((a) => (
          <li key={a.artifact_id}>
            <button type="button" class="link" onClick={() => open(a.artifact_id)}><Icon of={Check} /> <Words>{a.title ?? a.type}</Words></button>
          </li>
        ))}
        {more > 0 && <li class="soft">and {more} more</li>}
      </ul>
      <div class="finale-crew" aria-hidden="true">
        {finale.crew.slice(0, 8).map((id) => <Face key={id} id={id} of={store.agents.value.find((a) => a.agent_id === id)} size={28} />)}
      </div>
      <div class="finale-acts">
        {result && <button type="button" class="button calm" onClick={() => open(result.artifact_id)}><Icon of={Sparkles} />{' '}{say.openResult}</button>}
        {shell.frozen.value === null && <button type="button" class="button outline" disabled={thanked} onClick={() => void thank()}><Icon of={Heart} /> {thanked ? 'Thanks sent' : 'Thank the crew'}</button>}
      </div>
    </section>
  );
}

/**
 * Returns a project's summary in a sentence or two: the number of deliverables, the duration, and the number of
 * questions answered.
 */
export function summaryOf({ deliverables, took, answered }: Finale): string {
  const n = deliverables.length;
  const work = `The crew delivered ${n === 1 ? 'one piece' : `${n} pieces`} of work${took === undefined ? '' : ` in ${tookWords(took)}`}.`;
  return answered === 0 ? work : `${work} You answered ${answered === 1 ? 'one question' : `${answered} questions`}.`;
}

/** Reports whether the focused field contains text; keeps its last result while `matters` is false. */
function useWriting(matters: boolean): boolean {
  const [writing, setWriting] = useState(false);
  useEffect(() => {
    if (!matters) return undefined;
    const look = () => {
      const at = document.activeElement;
      setWriting((at instanceof HTMLTextAreaElement || at instanceof HTMLInputElement) && at.value !== '');
    };
    look();
    const events = ['focusin', 'focusout', 'input'] as const;
    for (const e of events) document.addEventListener(e, look);
    return () => events.forEach((e) => document.removeEventListener(e, look));
  }, [matters]);
  return writing;
}
