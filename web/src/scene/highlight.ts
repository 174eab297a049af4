import * as T from 'three';
import { light } from '../look/palette.ts';
import type { Batch } from './batch.ts';
import type { Finish, Piece } from './kit.ts';

interface Source { mesh: T.Mesh; batch: Batch; finish: Finish }

/** The stencil bit of furniture; people use another. */
const bit = 2;
const width = 0.028;

/**
 * The outline of what the pointer is on: the pieces are drawn into the stencil and
 * once more, grown along their normals, wherever the stencil is free. It shares the
 * points of the batches and owns only a small index.
 */
export class Highlight {
  readonly group = new T.Group();
  #parts: { source: Source; geometry: T.BufferGeometry }[] = [];
  #mask = new T.MeshBasicMaterial({ colorWrite: false, depthWrite: false, depthTest: false, stencilWrite: true, stencilWriteMask: bit, stencilRef: bit, stencilZPass: T.ReplaceStencilOp });
  #hull = new T.MeshBasicMaterial({
    color: light.halo, transparent: true, opacity: 0.95, depthWrite: false, stencilWrite: true, stencilWriteMask: 0, stencilFuncMask: bit, stencilRef: bit, stencilFunc: T.NotEqualStencilFunc,
  });

  constructor(sources: readonly Source[]) {
    this.#hull.onBeforeCompile = shader => { shader.vertexShader = shader.vertexShader.replace('#include <begin_vertex>', `#include <begin_vertex>\ntransformed += normalize(normal) * ${width.toFixed(4)};`); };
    for (const source of sources) {
      const geometry = new T.BufferGeometry();
      for (const name of ['position', 'normal']) geometry.setAttribute(name, source.mesh.geometry.getAttribute(name));
      for (const [material, order] of [[this.#mask, 8], [this.#hull, 9]] as const) {
        const mesh = new T.Mesh(geometry, material);
        mesh.renderOrder = order;
        mesh.frustumCulled = false;
        mesh.matrixAutoUpdate = false;
        this.group.add(mesh);
      }
      this.#parts.push({ source, geometry });
    }
    this.group.visible = false;
  }

  show(pieces: readonly Piece[]): void {
    this.group.visible = pieces.length > 0;
    if (pieces.length === 0) return;
    for (const { source, geometry } of this.#parts) geometry.setIndex(source.batch.pick(pieces.flatMap(p => p.spans[source.finish])));
  }

  dispose(): void {
    for (const { geometry } of this.#parts) geometry.dispose();
    this.#mask.dispose();
    this.#hull.dispose();
  }
}
