import { Coffee } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import type { Need } from '../../world/store.ts';
import { ByStudio } from '../campus/by_studio.tsx';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import { useArm } from './arm.ts';
import { DecisionCard } from './decision_card.tsx';
import { ElsewhereCard } from './elsewhere_card.tsx';
import { NeedRow } from './need_row.tsx';
import { PermissionCard } from './permission_card.tsx';
import { PlanCard } from './plan_card.tsx';
import { ReviewCard } from './review_card.tsx';
import { UncheckedCard } from './unchecked_card.tsx';
import { WithdrawnNotes } from './withdrawn.tsx';
import * as say from '../../contracts/words.gen.ts';

/**
 * Shows everything that is waiting for the user, most urgent first, grouped by studio if there are studios. One card
 * is open; each of the others is one line.
 */
export function Inbox() {
  const { store, shell } = useOffice();
  const cards = shell.answerQueue.cards.value;
  useMoveOn(cards.map((card) => card[0]!));
  if (cards.length === 0) {
    return (
      <>
        <WithdrawnNotes />
        <p class="empty">
          <Icon of={Coffee} size={22} />
          {say.nothingNeedsYou}
        </p>
        {!store.agents.value.some((a) => a.source) && (
          <p class="soft small">
            <button type="button" class="link" onClick={() => (shell.dialog.value = { kind: 'connect' })}>
              {say.viewConnect}
            </button>{' '}
            your own agents, such as Claude Code sessions, to see them here.
          </p>
        )}
      </>
    );
  }
  const open = cards.find((card) => card.some((n) => n.ref === shell.need.value)) ?? cards[0];
  return (
    <>
      {shell.frozen.value && <p class="frozen">{shell.frozen.value}</p>}
      <WithdrawnNotes />
      <ByStudio of={cards} agentOf={(card) => card[0]!.agent_id} counts={(here) => here.flat().length} mustSee={(card) => card === open} listed unfolded>
        {(here) => (
          <ol class="needs">
            {here.map((card) => (
              <li key={card[0]!.ref}>{card === open ? <OpenNeed card={card} /> : <NeedRow card={card} />}</li>
            ))}
          </ol>
        )}
      </ByStudio>
    </>
  );
}

// After an answer, moves the focus to the next card, or to the heading if no card is left.
function useMoveOn(needs: readonly Need[]): void {
  const { shell } = useOffice();
  const before = useRef(needs);
  const refs = needs.map((n) => n.ref).join(' ');
  useEffect(() => {
    const was = before.current;
    before.current = needs;
    const gone = shell.answered;
    const isGone = gone !== null && was.some((n) => n.ref === gone) && !needs.some((n) => n.ref === gone);
    if (!isGone) return;
    shell.answered = null;
    // Leave the focus alone if the user has moved it elsewhere.
    const active = document.activeElement;
    if (active && active !== document.body && !active.closest('#needs, .need')) return;
    const at = was.findIndex((n) => n.ref === gone);
    const next = needs.find((n) => was.findIndex((w) => w.ref === n.ref) > at) ?? needs[0];
    if (next) shell.need.value = next.ref;
    else document.getElementById('needs')?.focus();
  }, [refs]);
}

function OpenNeed({ card }: { card: readonly Need[] }) {
  const { store, shell } = useOffice();
  const ref = useRef<HTMLElement>(null);
  const need = card[0]!;
  const chosen = shell.need.value === need.ref;
  // Disarm the card when a need is added to it, so that no need is answered before the user has had a chance to read
  // it.
  useArm({ shell }, need.ref, card.map((n) => n.ref).join(' '));
  useEffect(() => {
    // Only a selected need takes the focus: a new need must not steal it from a text field.
    if (chosen) ref.current?.focus({ preventScroll: false });
  }, [chosen, need.ref]);
  const decision = store.decisions.value.find((d) => d.decision_id === need.ref);
  const artifact = store.artifacts.value.find((a) => a.artifact_id === need.ref);
  const agent = store.agents.value.find((a) => a.agent_id === need.ref);
  return (
    <article ref={ref} class="need" tabIndex={-1} aria-label={need.title}>
      {need.kind === 'permission' && decision && <PermissionCard key={need.ref} card={card} decision={decision} />}
      {need.kind === 'decision' && decision && <DecisionCard key={need.ref} card={card} decision={decision} />}
      {decision?.session && <UncheckedCard key={need.ref} need={need} session={decision.session} options={decision.options} />}
      {need.kind === 'plan' && <PlanCard key={need.ref} need={need} />}
      {artifact && <ReviewCard key={need.ref} need={need} artifact={artifact} />}
      {agent && <ElsewhereCard key={need.ref} need={need} agent={agent} />}
    </article>
  );
}
