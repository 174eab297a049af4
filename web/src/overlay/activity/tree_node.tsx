import { useSignal } from '@preact/signals';
import { duration } from '../../hud/label.ts';
import type { HudNode } from '../../hud/tree.ts';
import { turnWords } from '../../hud/usage.ts';
import { nameOf } from '../agent/name.ts';
import { Icon } from '../kit/icon.tsx';
import { Marked } from '../kit/marked.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { JsonTree } from '../work/json_tree.tsx';
import { CallView } from './call_view.tsx';
import { nodeIcon } from './node_icon.ts';

const stateWords = { running: 'running', done: 'done', error: 'failed' };

/** Shows one turn, message, tool call or thought, with its children. */
export function TreeNode({ node, named }: { node: HudNode; named: boolean }) {
  const { store } = useOffice();
  const open = useSignal(false);
  const more = node.args !== undefined || node.result !== undefined || node.usage !== undefined || node.said !== undefined;
  const span = node.type === 'received' ? undefined : (node.durationMs ?? (node.endedAt !== undefined ? node.endedAt - node.startedAt : undefined));
  const who = named && node.agent_id && node.type !== 'think' ? `${nameOf(store.agents.value, node.agent_id)} · ` : '';
  return (
    <li class={`node node-${node.state} node-${node.type}`}>
      <button type="button" class="node-row" aria-expanded={more ? open.value : undefined} disabled={!more} onClick={() => (open.value = !open.value)}>
        <span class="node-dot" aria-hidden="true" />
        <Icon of={nodeIcon(node)} size={14} />
        <Words class="clip node-label">
          {who}
          <Marked text={wordsOf(node)} />
        </Words>
        <span class="unseen">{stateWords[node.state]}</span>
        {node.state === 'error' && <span class="tag bad">failed</span>}
        <span class="node-span">{node.state === 'running' ? '…' : span !== undefined ? duration(span) : ''}</span>
      </button>
      {node.usage && <p class="node-usage">{turnWords(node.usage)}</p>}
      {open.value && <NodeMore node={node} took={node.state === 'running' ? undefined : span} />}
      {node.children.length > 0 && (
        <ul>
          {node.children.map((kid) => (
            <TreeNode key={kid.id} node={kid} named={false} />
          ))}
        </ul>
      )}
      {node.said && (
        <p class="node-said">
          <Words class={open.value ? undefined : 'two-lines'}>{node.said}</Words>
        </p>
      )}
    </li>
  );
}

/** Returns the label without its leading emoji, which is drawn as an icon; for a message, its preview in quotes. */
function wordsOf(node: HudNode): string {
  const label = node.label.replace(/^\p{Extended_Pictographic}\uFE0F?\s*/u, '');
  const preview = node.type === 'received' ? node.args?.['preview'] : undefined;
  return typeof preview === 'string' && preview !== '' ? `“${preview}”` : label;
}

/** Shows the arguments, result and usage of a node, in the viewer and as JSON. */
function NodeMore({ node, took }: { node: HudNode; took: number | undefined }) {
  const { tool, args, result, usage } = node;
  return (
    <div class="node-more">
      {(args !== undefined || result !== undefined) && <CallView call={{ tool, args, result }} took={took} agent={node.agent_id} />}
      {args !== undefined && <JsonTree name="args" value={args} />}
      {result !== undefined && <JsonTree name="result" value={result} />}
      {usage !== undefined && <JsonTree name="usage" value={usage} />}
    </div>
  );
}
