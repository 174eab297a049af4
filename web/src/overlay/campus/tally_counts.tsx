import { tallyParts, type Tally } from '../../world/campus.ts';

/**
 * Shows how many people in a studio are working, waiting and so on, for example "8 working · 2 waiting · 2 need you".
 */
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
