import { FileCheck, MessageCircleQuestionMark, ShieldQuestionMark } from 'lucide';
import type { Need } from '../../world/store.ts';
import { Ago } from '../kit/ago.tsx';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

const icons = { decision: MessageCircleQuestionMark, permission: ShieldQuestionMark, review: FileCheck };

/** A need that waits for its turn. */
export function NeedRow({ need }: { need: Need }) {
  const { shell } = useOffice();
  return (
    <button type="button" class="row need-row" onClick={() => (shell.need.value = need.ref)}>
      <Icon of={icons[need.kind]} />
      <Words class="clip">{need.title}</Words>
      <Ago at={need.since} />
    </button>
  );
}
