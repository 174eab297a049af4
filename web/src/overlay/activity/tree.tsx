import type { HudNode } from '../../hud/tree.ts';
import { TreeNode } from './tree_node.tsx';

const SHOWN = 50;

/** What agents do, newest first; history folds away as one group. */
export function Tree({ nodes, named = false }: { nodes: readonly HudNode[]; named?: boolean }) {
  const shown = nodes.slice(-SHOWN);
  const live = shown.filter((n) => !n.replay).toReversed();
  const old = shown.filter((n) => n.replay).toReversed();
  if (shown.length === 0) return <p class="empty">Nobody has done anything yet.</p>;
  return (
    <div class="tree">
      <ul>
        {live.map((node) => (
          <TreeNode key={node.id} node={node} named={named} />
        ))}
      </ul>
      {old.length > 0 && (
        <details class="tree-old" open={live.length === 0}>
          <summary>Earlier · {old.length}</summary>
          <ul>
            {old.map((node) => (
              <TreeNode key={node.id} node={node} named={named} />
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
