import * as T from 'three';
import { light } from '../look/palette.ts';
import type { Batch } from './batch.ts';
import type { Finish, Piece } from './kit.ts';

interface Source { mesh: T.Mesh; batch: Batch; finish: Finish }

/** The stencil bit for outlines of furniture; people use another bit. */
const bit = 2;
/** The width of the outline in pixels, at any distance. */
const pixels = 2.6;

/**
 * The outline of the furniture under the pointer. The furniture is first drawn into the stencil. It is then enlarged
 * along its normals and drawn where the stencil is empty. The outline shares the vertices of the batches and has only
 * an index of its own.
 */
export class Highlight {
  readonly group = new T.Group();
  #parts: { source: Source; geometry: T.BufferGeometry }[] = [];
  #grow = { value: 0.03 };
  #mask = new T.MeshBasicMaterial({ colorWrite: false, depthWrite: false, depthTest: false, stencilWrite: true, stencilWriteMask: bit, stencilRef: bit, stencilZPass: T.ReplaceStencilOp });
  #hull = new T.MeshBasicMaterial({
    color: light.halo, transparent: true, opacity: 0.95, depthWrite: false, stencilWrite: true, stencilWriteMask: 0, stencilFuncMask: bit, stencilRef: bit, stencilFunc: T.NotEqualStencilFunc,
  });

  constructor(sources: readonly Source[]) {
    this.#hull.onBeforeCompile = shader => {
      shader.uniforms.grow = this.#grow;
      shader.vertexShader = 'uniform float grow;\n' + shader.vertexShader.replace('#include <begin_vertex>', '#include <begin_vertex>\ntransformed += normalize(normal) * grow;');
    };
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

  /**
   * Keeps the outline's width on the screen constant, given the camera's distance and the picture's height in pixels.
   */
  fit(distance: number, fov: number, height: number): void { this.#grow.value = (pixels * 2 * distance * Math.tan((fov * Math.PI) / 360)) / height; }

  dispose(): void {
    for (const { geometry } of this.#parts) geometry.dispose();
    this.#mask.dispose();
    this.#hull.dispose();
  }
}
