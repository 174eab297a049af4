import { effect } from '@preact/signals';
import type { Vec3 } from '../contracts/protocol.gen.ts';
import { composeScene, type Placed } from '../world/campus.ts';
import type { CameraRig } from './camera.ts';
import type { Campus } from './campus.ts';
import type { RoomDeps } from './deps.ts';
import { frameRoom, type Frame, type Shown } from './fit.ts';
import type { Layer } from './layer.ts';
import type { LightLayer } from './light.ts';
import type { RoomStage } from './stage.ts';

/** The width and height of the area that must be visible around a person, in metres. */
const personSize = { w: 1.2, h: 1.8 } as const;

/** The parts of the scene that the campus changes. */
export interface CampusSite { stage: RoomStage; rig: CameraRig; light: LightLayer; layers: Layer[]; labels: HTMLElement; deps: RoomDeps }

/**
 * Shows the campus next to the house: loads the code when the first room opens, and removes everything when the last
 * room closes.
 */
export class CampusHost {
  campus: Campus | null = null;
  readonly #stop: () => void;
  #gone = false;
  /** The room that the camera was last sent to, and where the camera went. */
  #shown = { id: '', x: 0, z: 0, distance: 0 };
  /** The direction of the camera when it was last fitted. */
  #azimuth = NaN;

  constructor(readonly site: CampusSite) {
    const { store, focus } = site.deps;
    this.#stop = effect(() => {
      this.#take(store.campus.value).catch((e: unknown) => {
        console.error('failed to show the studios', e);
        focus.roomError.value = 'The studios could not be shown. The page will try again when a studio opens or closes; reload it to try now.';
      });
    });
  }

  /**
   * Shows the house, or the whole campus, in the part of the canvas that panels leave free. If the camera shows a room
   * or a person of a campus, that room or person is centred in this part.
   */
  fit(): void {
    const { rig } = this.site, { id, x, z, distance } = this.#shown, there = rig.goal.distance === distance && rig.goal.x === x && rig.goal.z === z, { shown } = this.#overview();
    this.#azimuth = rig.goal.azimuth;
    rig.fit(this.#frame(this.campus ? { ...shown, camera: { ...shown.camera, azimuth: rig.goal.azimuth } } : shown), shown.camera.elevation);
    if (there) this.show(id);
    else if (this.campus && rig.near) rig.shift(this.#frame(this.#closeUp()));
  }

  /** Centres the room or person that the camera was sent to. Without a campus, the house stays where it is. */
  recentre(): void { if (this.campus) this.fit(); }

  /** Fits the camera again after it was rotated, and updates the stage and the focus. */
  updateFocus(): void {
    if (!this.campus) return;
    if (this.site.rig.goal.azimuth !== this.#azimuth) this.fit();
    this.campus.updateFocus(this.site.rig);
  }

  /** Moves the camera to a room. */
  show(id: string): void {
    const { rig } = this.site, shown = this.campus?.view(id, rig.goal.azimuth);
    if (!shown) return;
    rig.show(shown.camera, this.#frame(shown));
    const { x, z, distance } = rig.goal;
    this.#shown = { id, x, z, distance };
  }

  dispose(): void {
    this.#gone = true;
    this.#stop();
  }

  #frame(shown: Shown): Frame { return frameRoom(shown, this.site.stage.size, this.site.deps.focus.panels.peek()); }

  /** Returns the view of a camera that looks at a person or an object: the corners of the area around its target. */
  #closeUp(): Shown {
    const { rig: { goal: { x, y, z, distance, azimuth, elevation } }, stage: { manifest: { ambience, room } } } = this.site;
    const corners = [-personSize.w, personSize.w].flatMap(dx => [0, personSize.h].map((at): Vec3 => [x + dx / 2, at, z]));
    return { camera: { target: [x, y, z], distance, azimuth, elevation }, fov: ambience.fov, room, corners };
  }

  #overview(): ReturnType<Campus['overview']> {
    const { ambience: { camera, fov }, room } = this.site.stage.manifest;
    return this.campus?.overview() ?? { shown: { camera, fov, room }, area: { x: 0, z: 0, w: room.w, d: room.d } };
  }

  async #take(placed: readonly Placed[]): Promise<void> {
    const { stage, light, layers, labels, deps } = this.site;
    if (placed.length < 2 && !this.campus) return;
    const { createCampus } = await import('./campus.ts');
    // Several rooms may open while the code is loading; only the last list counts.
    if (this.#gone || placed !== deps.store.campus.peek()) return;
    stage.manifest = composeScene(placed);
    if (this.campus && placed.length > 1) { this.campus.set(placed); return; }
    if (this.campus) this.#close();
    else {
      this.campus = createCampus({ stage, light, labels, deps, shown: () => this.#updateOverview() }, placed);
      layers.push(this.campus);
      stage.scene.add(this.campus.group);
    }
    this.#updateOverview();
    if (this.campus) this.show(deps.settings.room.peek());
    stage.castersMoved();
  }

  /** Shows all rooms in the overview. */
  #updateOverview(): void {
    const { shown, area } = this.#overview();
    this.site.rig.setOverview(shown.camera, area);
    this.fit();
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
