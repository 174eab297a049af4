import { accents } from '../../look/accents.ts';
import type { Placed } from '../../world/campus.ts';

/** A swatch in a studio's colour. */
export function Hue({ of }: { of: Placed }) {
  return <i class="studio-hue" style={{ background: accents[of.room?.accent ?? 'teal']?.[0] }} aria-hidden="true" />;
}
