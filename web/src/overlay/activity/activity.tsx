import { recent } from '../../hud/tree.ts';
import { ByStudio } from '../campus/by_studio.tsx';
import { useOffice } from '../office.ts';
import { HiddenRows, rowLimit, Tree } from './tree.tsx';

/** Shows the activity of all agents, grouped by studio if there are studios. */
export function Activity() {
  const { store, settings } = useOffice();
  const nodes = store.hud.value;
  if (nodes.length === 0 || store.campus.value.length < 2) return <Tree nodes={nodes} named />;
  const { replay, live, hidden } = recent(nodes, rowLimit(settings));
  return (
    <>
      <ByStudio of={[...replay, ...live]} agentOf={(node) => node.agent_id} counts={(here) => `${here.filter((n) => n.state === 'running').length} running · ${here.length}`} unfolded>
        {(here) => <Tree nodes={here} named />}
      </ByStudio>
      <HiddenRows n={hidden} />
    </>
  );
}
