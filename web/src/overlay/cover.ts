import type { Box } from '../world/focus.ts';
import type { Office } from './office.ts';

const CARDS = '.chip, .dock, .side, .agent-panel, .board-card, .board, .request, .bulletins, .banner, .sheet, .whole-room';

/**
 * Tells the room what of it lies under cards: the camera looks past the column that is
 * open, and nobody's name hides behind a card. Returns how to stop.
 */
export function coverRoom(root: HTMLElement, { focus }: Office): () => void {
  let told = '';
  const measure = () => {
    const column = root.querySelector(':scope > :is(.side, .agent-panel)');
    const boxes = [...root.children].filter((el) => el.matches(CARDS)).map(boxOf);
    const print = JSON.stringify(boxes);
    if (print === told) return;
    told = print;
    focus.covered.value = column ? innerWidth - boxOf(column).left : 0;
    focus.cards.value = boxes;
  };
  const sizes = new ResizeObserver(measure);
  const watch = () => {
    sizes.disconnect();
    for (const el of root.children) sizes.observe(el);
    measure();
  };
  const cards = new MutationObserver(watch);
  cards.observe(root, { childList: true });
  addEventListener('resize', measure);
  return () => {
    sizes.disconnect();
    cards.disconnect();
    removeEventListener('resize', measure);
  };
}

function boxOf(el: Element): Box {
  const { left, top, right, bottom } = el.getBoundingClientRect();
  return { left, top, right, bottom };
}
