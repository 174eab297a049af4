import { Check, CheckCheck, ShieldX } from 'lucide';
import { OPTION_ALLOW, OPTION_ALWAYS, OPTION_DENY } from '../../contracts/limits.gen.ts';
import type { Decision } from '../../contracts/protocol.gen.ts';
import type { Need } from '../../world/store.ts';
import { Icon } from '../kit/icon.tsx';
import { Marked } from '../kit/marked.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { Countdown } from './countdown.tsx';
import { NeedHead } from './need_head.tsx';
import { NoPermit } from './no_permit.tsx';
import { decidePermissions, permitReason, unreadReason } from './permission.ts';
import { PermissionWork } from './permission_work.tsx';
import { questionText } from './question_text.ts';
import { Refusals, Same } from './same.tsx';
import * as say from '../../contracts/words.gen.ts';

const looks: Readonly<Record<string, { class: string; icon: typeof Check; key?: string }>> = {
  [OPTION_ALLOW]: { class: 'button calm', icon: Check, key: 'Y' },
  [OPTION_ALWAYS]: { class: 'button outline', icon: CheckCheck },
  [OPTION_DENY]: { class: 'button deny', icon: ShieldX, key: 'N' },
};

/** Shows a permission request: what the tool does, where, and what each answer means. */
export function PermissionCard({ card, decision }: { card: readonly Need[]; decision: Decision }) {
  const office = useOffice();
  const { store, shell } = office;
  void shell.clock.value; // re-renders every second, because the request may expire
  const over = decision.expires_at !== undefined && decision.expires_at <= store.now();
  const reason = over ? say.noLongerWaiting : permitReason(office);
  const { tool = say.aTool, args, place, grants } = decision.permission ?? {};
  // A card that just moved under the pointer ignores clicks: they were meant for another card.
  const armed = shell.armed.value === decision.decision_id;
  return (
    <>
      <NeedHead need={card[0]!} verb={say.wantsToUse} />
      <Same card={card} />
      <p class="prompt permission-tool">
        <code class="tag">{tool}</code>
        {(args === undefined || args === null) && (
          <Words>
            <Marked text={questionText(decision)} />
          </Words>
        )}
      </p>
      <p class="about soft permission-where">
        {place && (
          <span>
            in <Words>{place}</Words>
          </span>
        )}
        {decision.expires_at !== undefined && <Countdown until={decision.expires_at} />}
      </p>
      {args !== undefined && args !== null && (
        <PermissionWork
          tool={tool}
          args={args}
          place={place}
          allowable={decision.options.includes(OPTION_ALLOW)}
          onWhole={() => shell.markRead(decision.decision_id)}
        />
      )}
      <div class="options" role="group" aria-label="Answer">
        {decision.options.map((option) => {
          const look = looks[option] ?? { class: 'button outline', icon: Check };
          const tip = look.key ? `${option} (${look.key})` : option === OPTION_ALWAYS && grants ? say.alwaysCovers(grants) : option;
          const why = reason ?? unreadReason(office, decision, option);
          return (
            <button key={option} type="button" class={look.class} disabled={why !== null || !armed} title={why ?? tip} onClick={() => decidePermissions(office, card, option)}>
              <Icon of={look.icon} />
              {option}
            </button>
          );
        })}
      </div>
      {grants && decision.options.includes(OPTION_ALWAYS) && (
        <p class="small soft">
          <Words>{say.alwaysCovers(grants)}</Words>
        </p>
      )}
      {reason !== null && <NoPermit reason={reason} how={!over && shell.frozen.value === null} />}
      <Refusals card={card} />
    </>
  );
}
