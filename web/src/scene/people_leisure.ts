import { Color, type Material, type Mesh } from 'three';
import type { SceneManifest, SceneObject } from '../contracts/protocol.gen.ts';
import { pastimeColors } from '../look/marks.ts';
import type { ChatRow } from '../world/store.ts';
import type { Stage } from './layer.ts';
import type { Cast } from './people_cast.ts';
import { speakerOf, turnHeads } from './people_gaze.ts';
import { InstanceList } from './people_instances.ts';
import { assignPastimes, type Plant } from './people_pastime.ts';
import { toRoom } from './props_place.ts';
import { bookGeometry, canGeometry } from './rig_accessory.ts';

/** The interval at which gazes and pastimes are updated, in ms. */
const stirEvery = 700;
/** The kinds of plants that people water. */
const plantKinds: ReadonlySet<string> = new Set(['planter', 'monstera', 'plant_leafy', 'bush']);
/** The distance between two spots along a long planter, in metres. */
const apart = 0.5;
/** Plants higher than this, in metres, are out of reach. */
const sill = 0.5;

const books = pastimeColors.books.map(hex => new Color(hex).toArray()), can = new Color(pastimeColors.can).toArray();

/**
 * Turns heads towards the agent that is speaking, and occasionally gives free people a book or a watering can. On weak
 * machines and with reduced motion, heads turn only in meetings, and free people get nothing.
 */
export class Leisure {
  readonly meshes: readonly Mesh[];
  readonly #books: InstanceList;
  readonly #cans: InstanceList;
  #plants: readonly Plant[] = [];
  #scene: SceneManifest | null = null;
  #version = -1;
  #last = 0;

  constructor(readonly cast: Cast, readonly stage: Stage, material: Material) {
    this.#books = new InstanceList(bookGeometry(), material, true);
    this.#cans = new InstanceList(canGeometry(), material, true);
    this.meshes = [this.#books.mesh, this.#cans.mesh];
  }

  update(chats: readonly ChatRow[], now: number): void {
    const { cast, stage } = this, moved = cast.version !== this.#version;
    if (now - this.#last < stirEvery && now >= this.#last && !moved) return;
    this.#last = now;
    this.#version = cast.version;
    const off = stage.still || stage.quality.tier !== 'high';
    if (stage.manifest !== this.#scene) {
      this.#scene = stage.manifest;
      this.#plants = plantsIn(stage.manifest);
    }
    turnHeads(cast, now, off ? undefined : speakerOf(chats, now));
    if (assignPastimes(cast, this.#plants, now, off) || moved) this.#list();
  }

  dispose(): void {
    this.#books.dispose();
    this.#cans.dispose();
  }

  #list(): void {
    this.#books.clear();
    this.#cans.clear();
    for (const p of this.cast.people) {
      if (p.pastime === 'read') this.#books.add(p.index, books[Math.floor(p.look.seed * books.length)]);
      else if (p.pastime === 'water') this.#cans.add(p.index, can);
    }
    this.#books.show();
    this.#cans.show();
  }
}

/** Returns the spots where a scene's plants can be watered; a long planter has several. */
export function plantsIn({ objects }: SceneManifest): Plant[] {
  return objects.filter(o => plantKinds.has(o.kind) && o.pos[1] < sill).flatMap(spotsOf);
}

function spotsOf(o: SceneObject): Plant[] {
  const long = o.kind === 'planter' ? (o.size?.[0] ?? 0) : 0, n = 1 + Math.floor(long / apart);
  return Array.from({ length: n }, (_, i) => {
    const [x, , z] = toRoom(o, n === 1 ? 0 : (i / (n - 1) - 0.5) * (long - apart), 0, 0);
    return { x, z };
  });
}
