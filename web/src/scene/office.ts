import type { SceneManifest } from '../contracts/protocol.gen.ts';
import { builderOf } from './furniture/registry.ts';
import { Item } from './furniture/item.ts';
import { Kit, wallOf } from './kit.ts';
import { buildShell } from './walls.ts';

/** An object near a wall and higher than this, in metres, is attached to the wall, like a shelf. */
const offFloor = 0.5;

/** Builds the whole static office from its manifest, without WebGL. */
export function buildOffice(manifest: SceneManifest, fine: boolean): Kit {
  const kit = new Kit(manifest, fine);
  buildShell(kit);
  for (const object of manifest.objects) {
    const item = new Item(object, manifest), draw = () => builderOf(object.kind)(kit, item);
    kit.build(object, object.pos[1] > offFloor ? () => kit.on(wallOf(manifest, object), draw) : draw);
  }
  return kit;
}
