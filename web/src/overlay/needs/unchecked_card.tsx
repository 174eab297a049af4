import type { EndedSession } from '../../contracts/protocol.gen.ts';
import type { Need } from '../../world/store.ts';
import { Checked } from '../agent/checked.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { NeedHead } from './need_head.tsx';
import { answerCommand } from './permission.ts';
import { Refusals } from './same.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows a session that ended without a passing check of its last code edit, with a button to dismiss it. */
export function UncheckedCard({ need, session, options }: { need: Need; session: EndedSession; options: readonly string[] }) {
  const { shell } = useOffice();
  const reason = shell.frozen.value;
  return (
    <>
      <NeedHead need={need} verb={say.endedUnchecked} />
      {session.agent.place && (
        <p class="about soft">
          in <Words>{session.agent.place}</Words>
        </p>
      )}
      <Checked of={session.checked} />
      <div class="options">
        {options.map((choice) => (
          <button
            key={choice}
            type="button"
            class="button outline"
            disabled={reason !== null}
            title={reason ?? undefined}
            onClick={() => shell.answer({ commands: [answerCommand(need.ref, { choice })], words: choice, done: say.dismissed })}
          >
            {choice}
          </button>
        ))}
      </div>
      <Refusals card={[need]} />
    </>
  );
}
