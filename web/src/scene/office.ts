import type { SceneManifest, SceneObject } from '../contracts/protocol.gen.ts';
import { builderOf } from './furniture/registry.ts';
import { Item } from './furniture/item.ts';
import { Kit, wallOf } from './kit.ts';
import { buildShell } from './walls.ts';

/** An object near a wall and higher than this, in metres, is attached to the wall, like a shelf. */
const offFloor = 0.5;

/** How a module differs from the house: paints whose colours are set when it is drawn, and optional parts. */
export interface ModuleOptions {
  tints?: readonly string[];
  /** The length of the shortest shapes that are drawn, in metres. */
  minLength?: number;
  /** Returns the number of the part that an object belongs to, or 0 for objects that are always there. */
  partOf?(object: SceneObject): number;
}

/** Builds everything static in a room from its manifest, without WebGL. */
export function buildOffice(manifest: SceneManifest, fine: boolean, { tints, partOf, minLength = 0 }: ModuleOptions = {}): Kit {
  const kit = new Kit(manifest, fine, tints);
  kit.minLength = minLength;
  buildShell(kit);
  for (const object of manifest.objects) {
    const item = new Item(object, manifest), draw = () => builderOf(object.kind)(kit, item);
    kit.part = partOf?.(object) ?? 0;
    kit.build(object, object.pos[1] > offFloor ? () => kit.on(wallOf(manifest, object), draw) : draw);
  }
  return kit;
}
