import { useSignal } from '@preact/signals';
import { duration } from '../../hud/label.ts';
import type { HudNode } from '../../hud/tree.ts';
import { nameOf } from '../agent/name.ts';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { JsonTree } from './json_tree.tsx';
import { nodeIcon } from './node_icon.ts';

const stateWords = { running: 'running', done: 'done', error: 'failed' };

/** One turn, tool call or thought, with what is inside it. */
export function TreeNode({ node, named }: { node: HudNode; named: boolean }) {
  const { store } = useOffice();
  const open = useSignal(false);
  // The label begins with a sign of its own; here it is drawn as an icon.
  const label = node.label.replace(/^\p{Extended_Pictographic}\uFE0F?\s*/u, '');
  const more = node.args !== undefined || node.result !== undefined;
  const span = node.type === 'received' ? undefined : (node.durationMs ?? (node.endedAt !== undefined ? node.endedAt - node.startedAt : undefined));
  return (
    <li class={`node node-${node.state} node-${node.type}`}>
      <button type="button" class="node-row" aria-expanded={more ? open.value : undefined} disabled={!more} onClick={() => (open.value = !open.value)}>
        <span class="node-dot" aria-hidden="true" />
        <Icon of={nodeIcon(node)} size={14} />
        <Words class="clip node-label">{named && node.agent_id && node.type === 'turn' ? `${nameOf(store.agents.value, node.agent_id)} · ${label}` : label}</Words>
        <span class="unseen">{stateWords[node.state]}</span>
        {node.state === 'error' && <span class="tag bad">failed</span>}
        <span class="node-span">{node.state === 'running' ? '…' : span !== undefined ? duration(span) : ''}</span>
      </button>
      {open.value && (
        <div class="node-more">
          {node.args !== undefined && <JsonTree name="args" value={node.args} open />}
          {node.result !== undefined && <JsonTree name="result" value={node.result} open />}
        </div>
      )}
      {node.children.length > 0 && (
        <ul>
          {node.children.map((kid) => (
            <TreeNode key={kid.id} node={kid} named={false} />
          ))}
        </ul>
      )}
    </li>
  );
}
