import type { Checked as State } from '../../contracts/protocol.gen.ts';
import { Ago } from '../kit/ago.tsx';
import { Words } from '../kit/words.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Says whether an agent's edits were checked, with the last edit and the last check; nothing if no edit was seen. */
export function Checked({ of }: { of: State | undefined }) {
  if (!of) return null;
  return (
    <ul class="soft small at-desk">
      <li>{say.edits[of.state]}</li>
      {[of.edit, of.check, of.command].map((one) => one && (
        <li key={one.kind}>
          <Words>{`${say.impacts[one.kind]}: ${one.what ?? ''} ${one.outcome ?? ''}`}</Words> <Ago at={one.at} />
        </li>
      ))}
    </ul>
  );
}
