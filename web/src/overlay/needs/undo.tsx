import { Undo2 } from 'lucide';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows the answers that can still be undone, and for how long. */
export function UndoCards() {
  const { shell } = useOffice();
  void shell.clock.value; // re-renders every second
  return (
    <>
      {shell.answerQueue.given.value.map((a) => (
        <div key={a.id} class="card toast toast-good">
          <span>
            Answered: <Words>{a.commands.length > 1 ? say.answeredTimes(a.words, a.commands.length) : a.words}</Words>
          </span>
          <button type="button" class="button small" title="Undo (U)" onClick={() => shell.answerQueue.undo(a.id)}>
            <Icon of={Undo2} size={14} />
            Undo <span aria-hidden="true">{Math.max(1, Math.ceil((a.due - Date.now()) / 1000))}</span>
          </button>
        </div>
      ))}
    </>
  );
}
