import { Notices } from './notice.tsx';
import { StatusLines } from './status_line.tsx';

/** Shows status lines and messages from workflows, either below the status chip or in the text view. */
export function Bulletins() {
  return (
    <section class="bulletins" aria-label="From workflows">
      <StatusLines />
      <Notices />
    </section>
  );
}
