import { effect } from '@preact/signals';
import { Group } from 'three';
import type { Player, Vec3 } from '../contracts/protocol.gen.ts';
import { visitor } from '../look/identity.ts';
import type { RoomDeps } from './deps.ts';
import type { Layer, Stage } from './layer.ts';
import { castOf, type Person } from './people_cast.ts';
import { appear, correct, truePosition } from './people_stepper.ts';
import { anchorOf, nextToOf, companionHeading, stagePlaces } from './staging.ts';
import * as say from '../contracts/words.gen.ts';

/** The shortest time between position reports, in ms; the link enforces the protocol's limit too. */
const reportEvery = 250;
/** The minimum speed at which other players walk, and the user's speed if the office sends none, in m/s. */
const strollSpeed = 1.6;

/** Draws the players: the user's own figure, which walks to where the user clicks, and other people's figures. */
export function createAvatar(stage: Stage, deps: RoomDeps): Layer {
  return new Visitors(stage, deps);
}

class Visitors implements Layer {
  readonly group = new Group();
  readonly #cast;
  readonly #stop: () => void;
  #rows: readonly Player[] | null = null;
  #me = '';
  #reportedAt = 0;
  #reportedX = NaN;
  #reportedZ = NaN;
  #asked = 0;
  /** The agent that the user's figure last walked to; empty if there is none. */
  #attended = '';
  /** True if the user moved their figure while an agent was waiting, so that the figure does not walk to the agent. */
  #movedAway = false;

  constructor(readonly stage: Stage, readonly deps: RoomDeps) {
    this.#cast = castOf(stage);
    this.#stop = effect(() => {
      void deps.store.players.value; void deps.store.me.value;
      stage.invalidate();
    });
  }

  update(now: number): boolean {
    const { store } = this.deps, rows = store.players.peek(), me = store.me.peek();
    if (rows !== this.#rows || me !== this.#me) this.#syncPlayers(rows, me, now);
    this.#rows = rows;
    this.#me = me;
    this.#attend();
    return this.#report(now);
  }

  /**
   * Walks the user's figure to the on-stage agent with the most urgent need, and turns the figure to face that agent.
   */
  #attend(): void {
    const { store } = this.deps, me = this.#cast.byId.get(this.#me), asker = this.#asker();
    if (!asker) { this.#attended = ''; this.#movedAway = false; return; }
    if (!me || me.moving) return;
    const goal = nextToOf({ x: asker.endX, z: asker.endZ }, this.stage.manifest), far = Math.hypot(goal.x - me.x, goal.z - me.z);
    if (this.#attended !== asker.id && !this.#movedAway && far > 0.15 && store.access.peek() === 'operator') this.#go([goal.x, 0, goal.z]);
    this.#attended = asker.id;
    const heading = companionHeading(me, { x: asker.endX, z: asker.endZ }, this.stage.manifest);
    if (heading !== null && Math.abs(heading - me.restHeading) > 0.01) { me.restHeading = heading; me.settled = false; }
  }

  #asker(): Person | undefined {
    const places = stagePlaces(this.stage.manifest);
    for (const need of this.deps.store.needs.peek()) {
      const p = need.agent_id === undefined ? undefined : this.#cast.byId.get(need.agent_id);
      if (p?.pose === 'ask' && places.includes(anchorOf(p.view))) return p;
    }
    return undefined;
  }

  /** Walks the user's figure to a clicked point on the floor, along the path that the server returns. */
  floor(pos: Vec3): void {
    this.#movedAway = true;
    this.#go(pos);
  }

  #go(pos: Vec3): void {
    const { store, send } = this.deps, ask = ++this.#asked;
    if (store.me.peek() === '') return;
    void send('move_player_to', { pos: [round(pos[0]), 0, round(pos[2])] }).then(reply => {
      // A later click replaces this one.
      if (!reply.ok || ask !== this.#asked || !reply.result?.path) return;
      this.#walk(reply.result.path, reply.result.speed_mps ?? strollSpeed);
    });
  }

  dispose(): void { this.#stop(); }

  #syncPlayers(rows: readonly Player[], me: string, now: number): void {
    const here = new Set<string>();
    if (me !== '') { here.add(me); this.#own(me, rows.find(r => r.player_id === me), now); }
    for (const r of rows) if (r.player_id !== me) { here.add(r.player_id); this.#other(r, now); }
    for (let i = this.#cast.count - 1; i >= 0; i--) { const p = this.#cast.people[i]!; if (p.kind === 'player' && !here.has(p.id)) this.#cast.remove(p); }
  }

  /**
   * Adds the user's figure if it is missing. The server decides where it starts; after that, only this page moves it.
   */
  #own(id: string, row: Player | undefined, now: number): void {
    if (this.#cast.byId.has(id)) return;
    const p = this.#cast.add(id, 'player', visitor(id, true));
    p.name = 'You';
    this.#stand(p, row?.pos ?? this.stage.manifest.spawns.player, row?.facing);
    appear(this.#cast, p, now);
    this.#reportedX = this.#reportedZ = NaN;
  }

  #other(row: Player, now: number): void {
    const was = this.#cast.byId.get(row.player_id), p = was ?? this.#cast.add(row.player_id, 'player', visitor(row.player_id, false));
    p.name = row.name ?? say.thingVisitor;
    if (!was) { this.#stand(p, row.pos, row.facing); appear(this.#cast, p, now); return; }
    if (p.endX === row.pos[0] && p.endZ === row.pos[2]) return;
    const from = truePosition(p, now), far = Math.hypot(row.pos[0] - from.x, row.pos[2] - from.z), start: Vec3 = [from.x, 0, from.z];
    this.#stand(p, row.pos, row.facing);
    if (far < 4) { p.path = [start, row.pos]; p.speed = Math.max(strollSpeed, far / 1.2); p.startedAt = now; }
    correct(p, now);
    this.#cast.version++;
  }

  #stand(p: Person, pos: Vec3, facing: Vec3 | undefined): void {
    p.path = [];
    p.endX = pos[0];
    p.endZ = pos[2];
    if (facing && (facing[0] !== 0 || facing[2] !== 0)) p.restHeading = Math.atan2(facing[0], facing[2]);
  }

  #walk(path: readonly Vec3[], speed: number): void {
    const p = this.#cast.byId.get(this.#me), end = path[path.length - 1], before = path[path.length - 2] ?? path[0];
    if (!p || !end) return;
    const now = this.deps.now?.() ?? this.deps.store.now();
    p.path = path;
    p.speed = speed;
    p.startedAt = now;
    p.endX = end[0];
    p.endZ = end[2];
    if (before && (before[0] !== end[0] || before[2] !== end[2])) p.restHeading = Math.atan2(end[0] - before[0], end[2] - before[2]);
    correct(p, now);
    // A new version makes CastUpdater assign places again, because the destination may be occupied.
    this.#cast.version++;
    this.stage.invalidate();
  }

  /**
   * Reports the position of the user's figure, so that agents can walk to it. Does nothing during a walk, because the
   * office knows the path. Returns true if the position has changed but the last report was too recent.
   */
  #report(now: number): boolean {
    const p = this.#cast.byId.get(this.#me);
    if (!p || p.moving || this.deps.store.access.peek() !== 'operator') return false;
    if (Math.hypot(p.x - this.#reportedX, p.z - this.#reportedZ) < 0.02) return false;
    if (now - this.#reportedAt < reportEvery && now >= this.#reportedAt) return true;
    this.#reportedAt = now;
    this.#reportedX = p.x;
    this.#reportedZ = p.z;
    void this.deps.send('player_pos', { pos: [round(p.x), 0, round(p.z)], facing: [round(Math.sin(p.heading)), 0, round(Math.cos(p.heading))] });
    return false;
  }
}

const round = (n: number): number => Math.round(n * 1000) / 1000;
