import { ChevronDown } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { groupByRoom, type Placed } from '../../world/campus.ts';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { Hue } from './hue.tsx';

/**
 * If a list has more items than this, its groups are folded at first, except the group of the room in view and groups
 * with an item that the user must see.
 */
const LONG = 24;

interface Props<T> {
  of: readonly T[];
  agentOf: (item: T) => string | undefined;
  /** Returns the counts for a group's heading. */
  counts: (items: readonly T[], place: Placed) => ComponentChildren;
  /**
   * Returns true for an item that the user must see. A group is open at first if it contains such an item, and opens
   * when it receives its first one.
   */
  mustSee?: (item: T) => boolean;
  /** True to sort studios by the position of their first item in `of`; otherwise they are in campus order. */
  listed?: boolean;
  /** True if the groups are open at first, even if there are many items. */
  unfolded?: boolean;
  children: (items: readonly T[]) => ComponentChildren;
}

/**
 * Shows a list in one group per studio, each below a heading that folds the group. While there is only the house,
 * there are no headings.
 */
export function ByStudio<T>({ of, agentOf, counts, mustSee, listed = false, unfolded = false, children }: Props<T>) {
  const { store, focus } = useOffice();
  const campus = store.campus.value;
  if (campus.length < 2) return <>{children(of)}</>;
  const groups = groupByRoom(campus, store.agents.value, of, agentOf);
  const sorted = listed ? groups : groups.toSorted((a, b) => campus.indexOf(a.place) - campus.indexOf(b.place));
  return (
    <>
      {sorted.map(({ place, items }) => (
        <Group
          key={place.id}
          place={place}
          counts={counts(items, place)}
          mustSee={mustSee !== undefined && items.some(mustSee)}
          unfolded={unfolded || of.length <= LONG || focus.room.peek() === place.id}
        >
          {() => children(items)}
        </Group>
      ))}
    </>
  );
}

interface GroupProps {
  place: Placed;
  counts: ComponentChildren;
  mustSee: boolean;
  unfolded: boolean;
  children: () => ComponentChildren;
}

function Group({ place, counts, mustSee, unfolded, children }: GroupProps) {
  // Decided once, so that a list that grows does not fold what the user is reading.
  const [open, setOpen] = useState(mustSee || unfolded);
  useEffect(() => {
    if (mustSee) setOpen(true);
  }, [mustSee]);
  return (
    <section class="room-group">
      <h3>
        <button type="button" class="room-head" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Hue of={place} />
          <Words class="clip">{place.label}</Words>
          <span class="room-counts">{counts}</span>
          <Icon of={ChevronDown} size={14} />
        </button>
      </h3>
      {open && children()}
    </section>
  );
}
