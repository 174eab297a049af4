import { Coffee } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import type { Need } from '../../world/store.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import { useArm } from './arm.ts';
import { DecisionCard } from './decision_card.tsx';
import { NeedRow } from './need_row.tsx';
import { PermissionCard } from './permission_card.tsx';
import { ReviewCard } from './review_card.tsx';
import { WithdrawnNotes } from './withdrawn.tsx';

/** Everything that waits for the person, oldest first; one is open, the others are one line each. */
export function Inbox() {
  const { store, shell } = useOffice();
  const needs = store.needs.value;
  useMoveOn(needs);
  if (needs.length === 0) {
    return (
      <>
        <WithdrawnNotes />
        <p class="empty">
          <Icon of={Coffee} size={22} />
          Nothing needs you. Enjoy the view.
        </p>
        {!store.agents.value.some((a) => a.source) && (
          <p class="soft small">
            Your own Claude Code sessions come in as guests after <code>bullpen hooks install claude</code>.
          </p>
        )}
      </>
    );
  }
  const open = needs.some((n) => n.ref === shell.need.value) ? shell.need.value : needs[0]!.ref;
  return (
    <>
      {shell.frozen.value && <p class="frozen">Paused: answers cannot be sent now.</p>}
      <WithdrawnNotes />
      <ol class="needs">
        {needs.map((need) => (
          <li key={need.ref}>{need.ref === open ? <OpenNeed need={need} /> : <NeedRow need={need} />}</li>
        ))}
      </ol>
    </>
  );
}

// Who answered goes on to the next question; with none left, to the head of the inbox.
function useMoveOn(needs: readonly Need[]): void {
  const { shell } = useOffice();
  const before = useRef(needs);
  useEffect(() => {
    const was = before.current;
    before.current = needs;
    const gone = shell.answered;
    const isGone = gone !== null && was.some((n) => n.ref === gone) && !needs.some((n) => n.ref === gone);
    if (!isGone) return;
    shell.answered = null;
    // Somebody who went elsewhere meanwhile stays there.
    const active = document.activeElement;
    if (active && active !== document.body && !active.closest('#needs, .need')) return;
    const at = was.findIndex((n) => n.ref === gone);
    const next = needs.find((n) => was.findIndex((w) => w.ref === n.ref) > at) ?? needs[0];
    if (next) shell.need.value = next.ref;
    else document.getElementById('needs')?.focus();
  }, [needs]);
}

function OpenNeed({ need }: { need: Need }) {
  const { store, shell } = useOffice();
  const ref = useRef<HTMLElement>(null);
  const chosen = shell.need.value === need.ref;
  useArm({ shell }, need.ref);
  useEffect(() => {
    // Only a need that was asked for takes the focus: news must not steal it from a field.
    if (chosen) ref.current?.focus({ preventScroll: false });
  }, [chosen, need.ref]);
  const decision = need.kind !== 'review' ? store.decisions.value.find((d) => d.decision_id === need.ref) : undefined;
  const artifact = need.kind === 'review' ? store.artifacts.value.find((a) => a.artifact_id === need.ref) : undefined;
  return (
    <article ref={ref} class="need" tabIndex={-1} aria-label={need.title}>
      {decision &&
        (need.kind === 'permission' ? <PermissionCard key={need.ref} need={need} decision={decision} /> : <DecisionCard key={need.ref} need={need} decision={decision} />)}
      {artifact && <ReviewCard key={need.ref} need={need} artifact={artifact} />}
    </article>
  );
}
