import { effect } from '@preact/signals';
import { Group, type Raycaster } from 'three';
import { Bursts } from './burst.ts';
import type { RoomDeps } from './deps.ts';
import type { Hit, Layer, Stage } from './layer.ts';
import { BoardCards } from './props_board.ts';
import { objectOf } from './props_place.ts';
import { ShelfBoxes } from './props_shelf.ts';
import { Starter } from './props_starter.ts';
import { Trophies } from './props_trophy.ts';

/**
 * Draws the objects that represent the office's work: boxes on the shelf, cards on the board, and trophies. Starter
 * decor stands in places that are still empty.
 */
export function createProps(stage: Stage, deps: RoomDeps): Layer {
  const group = new Group(), { store } = deps, bursts = new Bursts();
  const shelf = objectOf(stage.manifest, 'delivery_shelf'), board = objectOf(stage.manifest, 'task_board');
  const boxes = shelf && new ShelfBoxes(stage, shelf, bursts), cards = board && new BoardCards(stage, board), trophies = new Trophies(stage, bursts), starter = new Starter(stage, shelf, board);
  group.add(trophies.group, bursts.mesh, starter.mesh);
  if (boxes) group.add(boxes.group);
  if (cards) group.add(cards.mesh);
  const stop = effect(() => {
    void store.artifacts.value; void store.tasks.value; void store.decor.value;
    stage.invalidate();
  });
  let began = 0;
  return {
    group,
    update(now) {
      // Count from when the room opened: shaders use floats, which are too coarse for the time since 1970.
      if (began === 0 || now < began) began = now;
      const t = now - began + 1;
      const moving = [boxes?.update(store.artifacts.peek(), store.tasks.peek(), t) ?? false, trophies.update(store.decor.peek(), t)];
      cards?.update(store.tasks.peek());
      starter.update({ tasks: store.tasks.peek(), artifacts: store.artifacts.peek(), decor: store.decor.peek() });
      return bursts.update(t / 1000) || moving.includes(true);
    },
    pick: (ray: Raycaster): Hit[] => [...(boxes?.pick(ray) ?? []), ...(cards?.pick(ray) ?? []), ...trophies.pick(ray)],
    dispose() {
      stop();
      starter.dispose();
      boxes?.dispose();
      cards?.dispose();
      trophies.dispose();
      bursts.dispose();
    },
  };
}
