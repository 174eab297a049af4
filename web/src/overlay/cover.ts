import type { Box } from '../world/focus.ts';
import type { Office } from './office.ts';

/** Panels that stay open; the camera centres the room between them. */
const PANELS = '.chip, .studios, .distances, .dock, .side, .agent-panel, .board-card, .request';
/** The panels and the temporary cards. Temporary cards affect labels, but do not move the camera. */
const CARDS = `${PANELS}, .board, .bulletins, .banner, .sheet, .whole-room, .finale`;

/**
 * Tracks which parts of the room are covered, so that the camera shows the room between the panels and no name is
 * hidden behind a card. Returns a function that stops the updates.
 */
export function trackCoveredAreas(root: HTMLElement, { focus }: Office): () => void {
  let last = '';
  const measure = () => {
    const cards = [...root.children].filter((el) => el.matches(CARDS));
    const boxes = cards.map(boxOf);
    const print = JSON.stringify(boxes);
    if (print === last) return;
    last = print;
    focus.panels.value = cards.filter((el) => el.matches(PANELS)).map(boxOf);
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
