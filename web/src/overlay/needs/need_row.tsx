import { FileCheck, MessageCircleQuestionMark, ShieldQuestionMark } from 'lucide';
import type { Need } from '../../world/store.ts';
import { nameOf } from '../agent/name.ts';
import { Ago } from '../kit/ago.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { asked } from './asked.ts';

const icons = { decision: MessageCircleQuestionMark, permission: ShieldQuestionMark, review: FileCheck };

/** A need that waits for its turn: who, and for what. */
export function NeedRow({ need }: { need: Need }) {
  const { shell, store } = useOffice();
  const decision = store.decisions.value.find((d) => d.decision_id === need.ref);
  return (
    <button type="button" class="row need-row" onClick={() => (shell.need.value = need.ref)}>
      <Icon of={icons[need.kind]} />
      <span class="need-words">
        {need.agent_id && <Words class="soft small clip">{nameOf(store.agents.value, need.agent_id)}</Words>}
        <Words class="clip">{decision ? asked(decision) : need.title}</Words>
      </span>
      <Ago at={need.since} />
    </button>
  );
}
