import { Group } from 'three';
import type { RoomDeps } from './deps.ts';
import type { Layer, Stage } from './layer.ts';

/** Stands in until the layer is written. */
export function createLabels(_stage: Stage, _el: HTMLElement, _deps: RoomDeps): Layer {
  return { group: new Group(), update: () => false, dispose: () => {} };
}
