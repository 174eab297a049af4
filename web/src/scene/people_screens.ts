import type { Stage } from './layer.ts';
import type { Cast } from './people_cast.ts';
import { pictureOf, saver, type ScreenPicture } from './screen_picture.ts';

/** Sets the screens and lamps of each place according to the agents there. */
export class Screens {
  readonly #dark = new Set<string>();

  /** `kindOf` returns the kind of a task. */
  constructor(
    readonly stage: Stage,
    readonly cast: Cast,
    readonly kindOf: (taskId: string) => string | undefined,
  ) {}

  update(): void {
    const next = new Map<string, ScreenPicture>(), { stage } = this, before = stage.screens;
    for (const p of this.cast.people) {
      const poi = p.view?.motion?.goal.poi_id ?? p.view?.goal?.poi_id;
      if (!poi || p.moving) continue;
      const picture = pictureOf(p.pose, p.view, p.view?.task_id ? this.kindOf(p.view.task_id) : undefined), other = next.get(poi);
      if (!other || picture.light > other.light) next.set(poi, picture);
      this.#lamp(poi, p.pose !== 'offline');
    }
    stage.screens = next;
    for (const [poi, picture] of next) {
      const was = before.get(poi);
      if (was?.kind !== picture.kind || was.light !== picture.light) stage.setScreen(poi, picture);
    }
    for (const poi of before.keys()) if (!next.has(poi)) stage.setScreen(poi, saver);
  }

  #lamp(poi: string, on: boolean): void {
    if (this.#dark.has(poi) !== on) return;
    if (on) this.#dark.delete(poi); else this.#dark.add(poi);
    this.stage.setLamp(poi, on);
  }
}
