import { accents } from '../../look/accents.ts';
import type { Placed } from '../../world/campus.ts';

/** The swatch with the colour of a studio. */
export function Hue({ of }: { of: Placed }) {
  return <i class="studio-hue" style={{ background: accents[of.room?.accent ?? 'teal']?.[0] }} aria-hidden="true" />;
}
