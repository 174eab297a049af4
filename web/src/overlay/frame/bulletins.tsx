import { Notices } from './notice.tsx';
import { StatusLines } from './status_line.tsx';

/** What workflows announce: below the chip, or among the text. */
export function Bulletins() {
  return (
    <section class="bulletins" aria-label="From workflows">
      <StatusLines />
      <Notices />
    </section>
  );
}
