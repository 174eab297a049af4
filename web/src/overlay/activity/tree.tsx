import { useState } from 'preact/hooks';
import { defaultVisible, recent, type HudNode } from '../../hud/tree.ts';
import type { Settings } from '../../world/settings.ts';
import { useOffice } from '../office.ts';
import { TreeNode } from './tree_node.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows the activity of agents, newest first. History is a separate group, collapsed at first if anything is live. */
export function Tree({ nodes, named = false }: { nodes: readonly HudNode[]; named?: boolean }) {
  const shown = recent(nodes, rowLimit(useOffice().settings));
  const live = shown.live.toReversed();
  const old = shown.replay.toReversed();
  // Decided once, so that new activity does not collapse the group that the user is reading.
  const [unfolded] = useState(live.length === 0);
  if (live.length + old.length === 0) return <p class="empty">{say.noActivity}</p>;
  return (
    <div class="tree">
      <ul>
        {live.map((node) => (
          <TreeNode key={node.id} node={node} named={named} />
        ))}
      </ul>
      {old.length > 0 && (
        <details class="tree-old" open={unfolded}>
          <summary>{say.earlier(old.length)}</summary>
          <ul class="old">
            {old.map((node) => (
              <TreeNode key={node.id} node={node} named={named} />
            ))}
          </ul>
        </details>
      )}
      <HiddenRows n={shown.hidden} />
    </div>
  );
}

/** Shows how many rows are hidden; renders nothing if all rows are shown. */
export function HiddenRows({ n }: { n: number }) {
  if (n === 0) return null;
  return <p class="soft small">{n === 1 ? '1 older row is hidden' : `${n} older rows are hidden`}; change the limit in Settings.</p>;
}

/** Returns the maximum number of activity rows to show. */
export function rowLimit({ rows }: Settings): number {
  return rows.value === 'auto' ? defaultVisible : Number(rows.value);
}
