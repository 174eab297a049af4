import { defaultVisible, recent, type HudNode } from '../../hud/tree.ts';
import { useState } from 'preact/hooks';
import { useOffice } from '../office.ts';
import { TreeNode } from './tree_node.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows the activity of agents, newest first. History is a separate group, collapsed at first if anything is live. */
export function Tree({ nodes, named = false }: { nodes: readonly HudNode[]; named?: boolean }) {
  const { settings } = useOffice();
  const limit = settings.rows.value === 'auto' ? defaultVisible : Number(settings.rows.value);
  const shown = recent(nodes, limit);
  const live = shown.live.toReversed();
  const old = shown.replay.toReversed();
  // Decided once, so that new activity does not collapse the group that the person is reading.
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
          <summary>Earlier · {old.length}</summary>
          <ul class="old">
            {old.map((node) => (
              <TreeNode key={node.id} node={node} named={named} />
            ))}
          </ul>
        </details>
      )}
      {shown.hidden > 0 && <p class="soft small">{shown.hidden} older rows are hidden; change the limit in Settings.</p>}
    </div>
  );
}
