import { effect } from '@preact/signals';
import type { Vec3 } from '../contracts/protocol.gen.ts';
import type { Ref, Target } from '../world/focus.ts';
import { position } from '../world/position.ts';
import type { CameraRig } from './camera.ts';
import type { RoomDeps } from './deps.ts';
import type { Stage } from './layer.ts';

/** The camera's maximum distance from the person that it shows, in metres; 5 m more if it follows the person. */
const followDistance = 17;

/** The type of place to show for a task, a deliverable or a trophy. */
const placeOf: Partial<Record<Ref['kind'], string>> = { task: 'task_board', artifact: 'delivery_shelf', decor: 'trophy_shelf' };

/**
 * Moves the camera to the target in focus.lookAt, and follows the agent in focus.follow. A camera close to its target
 * also moves along with the selected agent, until the user moves the camera.
 */
export class Attention {
  #stop: () => void;
  /** What was followed or selected in the last frame, and its position; null if the camera does not move with it. */
  #along: Ref | null = null;
  #last: Vec3 | null = null;
  #released: Ref | null = null;

  constructor(readonly rig: CameraRig, readonly stage: Pick<Stage, 'manifest'>, readonly deps: RoomDeps, readonly now: () => number, readonly room: (id: string) => void, wake: () => void) {
    const { focus } = deps, offs = [
      effect(() => {
        const at = focus.lookAt.value;
        if (at === null) return;
        focus.lookAt.value = null;
        this.show(at);
        wake();
      }),
      effect(() => {
        const id = focus.follow.value, at = id === null ? null : this.whereIs({ kind: 'agent', id });
        if (at) { rig.lookAt(at, Math.min(rig.goal.distance, followDistance + 5)); wake(); }
      }),
    ];
    this.#stop = () => offs.forEach(f => f());
  }

  show(at: Target): void {
    if (at === 'room') { this.rig.home(); return; }
    if (Array.isArray(at)) { this.rig.lookAt(at, Math.min(this.rig.goal.distance, followDistance)); return; }
    if (at.kind === 'studio') { this.room(at.id); return; }
    const { id, kind } = at, place = this.stage.manifest.pois.find(p => (kind === 'poi' ? p.poi_id === id : p.type === placeOf[kind]));
    if (place) { this.rig.frame(place.camera); return; }
    const pos = this.whereIs(at);
    if (pos) this.rig.lookAt(pos, Math.min(this.rig.goal.distance, followDistance));
  }

  /** Returns the position of an agent, a player or the agent that asked a question; null if there is none. */
  whereIs(ref: Ref): Vec3 | null {
    const { store } = this.deps;
    if (ref.kind === 'player') return store.players.peek().find(p => p.player_id === ref.id)?.pos ?? null;
    const id = ref.kind === 'decision' ? store.needs.peek().find(n => n.ref === ref.id)?.agent_id : ref.id, agent = store.agents.peek().find(a => a.agent_id === id);
    return agent ? position(agent, this.now()).pos : null;
  }

  /** Points the camera at the followed agent, or moves it as far as the selected agent moved. */
  update(): void {
    const { follow, selected } = this.deps.focus, id = follow.peek(), ref = id === null ? selected.peek() : { kind: 'agent' as const, id };
    const at = ref?.kind === 'agent' && ref !== this.#released ? this.whereIs(ref) : null;
    if (at && id !== null) this.rig.lookAt(at);
    else if (at && this.#last && ref === this.#along && this.rig.goal.distance <= followDistance) this.rig.moveTarget(at[0] - this.#last[0], at[2] - this.#last[2]);
    this.#along = ref;
    this.#last = at;
  }

  /** Leaves the camera where the user moved it, until an agent is selected again. */
  release(): void {
    this.deps.focus.follow.value = null;
    this.#released = this.deps.focus.selected.peek();
  }

  dispose(): void { this.#stop(); }
}
