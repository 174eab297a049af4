import { CircleDashed, FileCheck, ListChecks, MessageCircleQuestionMark, ShieldQuestionMark, SquareTerminal } from 'lucide';
import type { Need } from '../../world/store.ts';
import { needName } from '../agent/name.ts';
import { Ago } from '../kit/ago.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { useProjectOf } from './project.ts';
import { questionText } from './question_text.ts';
import { sameWords } from './same.tsx';

const icons = { decision: MessageCircleQuestionMark, permission: ShieldQuestionMark, plan: ListChecks, review: FileCheck, elsewhere: SquareTerminal, unchecked: CircleDashed };

/** Shows a closed card on one line: which agent is waiting, and for what. */
export function NeedRow({ card }: { card: readonly Need[] }) {
  const { shell, store } = useOffice();
  const need = card[0]!;
  const decision = store.decisions.value.find((d) => d.decision_id === need.ref);
  const artifact = store.artifacts.value.find((a) => a.artifact_id === need.ref);
  const project = useProjectOf((decision ?? artifact)?.project_id);
  const who = needName(store.agents.value, need);
  return (
    <button type="button" class="row need-row" onClick={() => (shell.need.value = need.ref)}>
      <Icon of={icons[need.kind]} />
      <span class="need-words">
        {who && <Words class="soft small clip">{[card.length > 1 ? sameWords(card) : who, project].filter(Boolean).join(' · ')}</Words>}
        <Words class="clip">{decision ? questionText(decision) : need.title}</Words>
      </span>
      <Ago at={need.since} />
    </button>
  );
}
