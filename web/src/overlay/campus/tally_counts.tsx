import { tallyParts, type Tally } from '../../world/campus.ts';

/** Shows counts of what the people of a studio are doing, such as "8 working · 2 waiting · 2 need you". */
export function TallyCounts({ of }: { of: Tally }) {
  return (
    <>
      {tallyParts(of).map(([part, , words], i) => (
        <span key={part} class={`count-${part}`}>
          {i > 0 && ' · '}
          {words}
        </span>
      ))}
    </>
  );
}
