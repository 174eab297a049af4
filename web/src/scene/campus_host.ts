import { effect } from '@preact/signals';
import { composeScene, type Placed } from '../world/campus.ts';
import type { CameraRig } from './camera.ts';
import type { Campus } from './campus.ts';
import type { RoomDeps } from './deps.ts';
import { frameRoom, type Frame, type Shown } from './fit.ts';
import type { Layer } from './layer.ts';
import type { LightLayer } from './light.ts';
import type { RoomStage } from './stage.ts';

/** The parts of the scene that the campus changes. */
export interface CampusSite { stage: RoomStage; rig: CameraRig; light: LightLayer; layers: Layer[]; labels: HTMLElement; deps: RoomDeps }

/** Shows the campus next to the house: it loads the code with the first room and removes everything with the last. */
export class CampusHost {
  campus: Campus | null = null;
  readonly #stop: () => void;
  #gone = false;
  /** The room that the camera was last sent to, and the camera's distance from it. */
  #shown = { id: '', distance: 0 };

  constructor(readonly site: CampusSite) {
    this.#stop = effect(() => { void this.#take(site.deps.store.campus.value); });
  }

  /** Shows the house, or the whole campus, in the part of the canvas that panels leave free. */
  fit(): void {
    const { rig } = this.site, { id, distance } = this.#shown, there = rig.goal.distance === distance;
    rig.fit(this.#frame(this.#overview().shown));
    // A camera that shows a room still shows it after a panel opened.
    if (there) this.show(id);
  }

  /** Moves the camera to a room. */
  show(id: string): void {
    const { rig } = this.site, shown = this.campus?.view(id, rig.goal.azimuth);
    if (!shown) return;
    rig.show(shown.camera, this.#frame(shown));
    this.#shown = { id, distance: rig.goal.distance };
  }

  dispose(): void {
    this.#gone = true;
    this.#stop();
  }

  #frame(shown: Shown): Frame { return frameRoom(shown, this.site.stage.size, this.site.deps.focus.panels.peek()); }

  #overview(): ReturnType<Campus['overview']> {
    const { ambience: { camera, fov }, room } = this.site.stage.manifest;
    return this.campus?.overview() ?? { shown: { camera, fov, room }, area: { x: 0, z: 0, w: room.w, d: room.d } };
  }

  async #take(placed: readonly Placed[]): Promise<void> {
    const { stage, rig, light, layers, labels, deps } = this.site;
    if (placed.length < 2 && !this.campus) return;
    const { createCampus } = await import('./campus.ts');
    // Several rooms may open while the code is loaded; only the last list counts.
    if (this.#gone || placed !== deps.store.campus.peek()) return;
    stage.manifest = composeScene(placed);
    const first = !this.campus;
    if (placed.length < 2) this.#close();
    else if (this.campus) this.campus.set(placed);
    else {
      this.campus = createCampus(stage, light, labels, deps, placed);
      layers.push(this.campus);
      stage.scene.add(this.campus.group);
    }
    const { shown, area } = this.#overview();
    rig.survey(shown.camera, area);
    this.fit();
    if (first) this.show(deps.settings.room.peek());
    stage.castersMoved();
  }

  #close(): void {
    const { stage, layers, deps } = this.site, campus = this.campus!;
    layers.splice(layers.indexOf(campus), 1);
    stage.scene.remove(campus.group);
    campus.dispose();
    this.campus = null;
    stage.distant = false;
    deps.focus.room.value = null;
  }
}
