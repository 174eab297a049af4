import { USER_ID } from '../../contracts/limits.gen.ts';
import type { SuggestedAction } from '../../contracts/protocol.gen.ts';
import type { ChatRow } from '../../world/store.ts';
import { nameOf } from '../agent/name.ts';
import { Ago } from '../kit/ago.tsx';
import { Face } from '../kit/face.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { stepOf } from './action.ts';
import * as say from '../../contracts/words.gen.ts';

interface Props {
  row: ChatRow;
  /** True for the newest message, whose first suggestion is highlighted; older suggestions may be outdated. */
  newest: boolean;
  onClarify: () => void;
}

/** Shows one message with its suggestions. */
export function Message({ row, newest, onClarify }: Props) {
  const { store, shell } = useOffice();
  const mine = row.from === USER_ID || row.from === store.me.value;
  const press = (action: SuggestedAction) => {
    const step = stepOf(action);
    const artifact = step.kind === 'approve' && store.artifacts.peek().find((a) => a.artifact_id === step.id);
    if (artifact) shell.approve(artifact);
    if (step.kind === 'command') void shell.act(step.name, step.data, say.chatDone);
    else if (step.kind === 'board') shell.showProject(step.projectId);
    else if (step.kind === 'artifact') shell.open({ kind: 'artifact', id: step.id });
    else if (step.kind === 'decision') shell.open({ kind: 'decision', id: step.id });
    else if (step.kind === 'write') onClarify();
  };
  const actions = (row.suggested_actions ?? []).filter((a) => stepOf(a).kind !== 'unknown');
  return (
    <li class={mine ? 'said mine' : 'said'}>
      <div class="said-head">
        {!mine && <Face id={row.from} role={store.agents.value.find((a) => a.agent_id === row.from)?.role} size={20} />}
        <Words class="strong clip">{mine ? say.you : nameOf(store.agents.value, row.from)}</Words>
        {row.rehearsal && <span class="tag rehearsal">{say.rehearsal}</span>}
        <Ago at={row.ts} />
      </div>
      <p class="said-text">
        <Words>{row.text}</Words>
      </p>
      {actions.length > 0 && (
        <div class="options">
          {actions.map((action, i) => {
            const off = stepOf(action).kind === 'command' && shell.frozen.value !== null;
            return (
              <button key={i} type="button" class={newest && i === 0 ? 'button calm small' : 'button small'} disabled={off} title={off ? shell.frozen.value! : undefined} onClick={() => press(action)}>
                <Words>{action.label}</Words>
              </button>
            );
          })}
        </div>
      )}
    </li>
  );
}
