import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** How many rows form a block, which is rendered as a whole. */
const BLOCK = 200;
/** How many blocks are rendered immediately; others are rendered when they are nearly visible. */
const EAGER = 10;
const ROW_PX = 19;

interface Props {
  count: number;
  /** How many rows are rendered before the user asks for the rest. */
  first: number;
  row: (i: number) => ComponentChild;
  /** The plural noun for rows, such as "lines". */
  unit?: string;
  /** The row to scroll to. */
  at?: Signal<number | null>;
  role?: 'rowgroup';
}

/**
 * Renders many rows in blocks. A block is rendered when it is near the viewport; rows beyond `first` are rendered
 * only on request.
 */
export function Windowed({ count, first, row, unit = 'lines', at, role }: Props) {
  const all = useSignal(false);
  const wanted = at?.value ?? -1;
  if (wanted >= first && !all.peek()) all.value = true;
  const shown = all.value ? count : Math.min(count, first);
  const blocks = Array.from({ length: Math.ceil(shown / BLOCK) }, (_, b) => b * BLOCK);
  return (
    <>
      {blocks.map((from, b) => (
        <Block key={from} from={from} to={Math.min(from + BLOCK, shown)} row={row} eager={b < EAGER || (wanted >= from && wanted < from + BLOCK)} role={role} />
      ))}
      {shown < count && (
        <div role={role && 'row'}>
          <span role={role && 'cell'}>
            <button type="button" class="link work-more" onClick={() => (all.value = true)}>
              Show the rest ({(count - shown).toLocaleString('en')} {unit})
            </button>
          </span>
        </div>
      )}
    </>
  );
}

function Block({ from, to, row, eager, role }: { from: number; to: number; row: (i: number) => ComponentChild; eager: boolean; role: 'rowgroup' | undefined }) {
  const ref = useRef<HTMLDivElement>(null);
  const near = useSignal(eager);
  if (eager && !near.peek()) near.value = true;
  useEffect(() => {
    if (near.peek() || !ref.current) return;
    const watch = new IntersectionObserver((seen) => (near.value ||= seen.some((s) => s.isIntersecting)), { root: ref.current.closest('.work-body'), rootMargin: '1200px' });
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return (
    <div ref={ref} class="work-block" role={role} style={near.value ? undefined : { height: `${(to - from) * ROW_PX}px` }}>
      {near.value && Array.from({ length: to - from }, (_, i) => row(from + i))}
    </div>
  );
}
