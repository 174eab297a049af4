import { Group } from 'three';
import type { RoomDeps } from './deps.ts';
import type { Layer, Stage } from './layer.ts';

/** Stands in until the layer is written. */
export function createPeople(_stage: Stage, _deps: RoomDeps): Layer {
  return { group: new Group(), update: () => false, dispose: () => {} };
}
