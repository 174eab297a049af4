import { Group, KeepStencilOp, Mesh, MeshBasicMaterial, NotEqualStencilFunc, ReplaceStencilOp, RingGeometry, type BufferGeometry } from 'three';
import { focusColors } from '../look/marks.ts';
import type { Cast, Person } from './people_cast.ts';
import { InstanceList } from './people_instances.ts';
import { accessoryGeometry } from './rig_accessory.ts';
import { rigged } from './rig.ts';
import { hairGeometry } from './rig_hair.ts';
import { sculptJoin } from './rig_sculpt.ts';

/** The stencil bit for outlines of people; furniture uses another bit. */
const bit = 1;

/**
 * The outline of one person, visible through desks, and a ring on the floor around the same or another person. For the
 * outline, the silhouette is masked in the stencil and a hull is drawn around it. Only the outlined person is drawn
 * again, so the size of the crowd does not matter.
 */
export class Outline {
  readonly group = new Group();
  readonly #shapes = new Map<string, BufferGeometry>();
  readonly #mask: MeshBasicMaterial;
  readonly #line: MeshBasicMaterial;
  readonly #ring: Mesh<RingGeometry, MeshBasicMaterial>;
  #instances: InstanceList[] = [];
  #around = '';
  #row = -1;

  constructor(readonly cast: Cast, readonly body: BufferGeometry) {
    const u = cast.uniforms;
    this.#mask = rigged(new MeshBasicMaterial({ colorWrite: false, depthWrite: false, stencilWrite: true, stencilWriteMask: bit, stencilRef: bit, stencilZPass: ReplaceStencilOp, stencilZFail: ReplaceStencilOp }), u, { kind: 'hull', push: 0 });
    this.#line = rigged(new MeshBasicMaterial({ color: focusColors.outline, depthWrite: false, depthTest: false, stencilWrite: true, stencilWriteMask: 0, stencilFuncMask: bit, stencilRef: bit, stencilFunc: NotEqualStencilFunc, stencilZPass: KeepStencilOp, transparent: true }), u, { kind: 'hull', push: 0.028 });
    const ring = new MeshBasicMaterial({ color: focusColors.ring, transparent: true, opacity: 0.95, depthWrite: false });
    this.#ring = new Mesh(new RingGeometry(0.42, 0.5, 40).rotateX(-Math.PI / 2), ring);
    this.#ring.renderOrder = 3;
    this.#ring.visible = false;
    this.group.add(this.#ring);
  }

  /** Outlines `lined` and draws a ring around `chosen`, or around `lined` if a dragged card would go to it (`drop`). */
  update(lined: Person | null, chosen: Person | null, drop: boolean): void {
    const key = lined ? `${lined.look.hairStyle}/${lined.look.accessory}` : '';
    if (key !== this.#around) this.#trace(lined, key);
    if (lined && this.#row !== lined.index) {
      for (const r of this.#instances) { r.clear(); r.add(lined.index); r.show(); }
    }
    this.#row = lined?.index ?? -1;
    this.#line.color.set(drop ? focusColors.drop : focusColors.outline);
    const under = drop ? lined : chosen;
    this.#ring.visible = under !== null;
    this.#ring.material.color.set(drop ? focusColors.drop : focusColors.ring);
    if (under) this.#ring.position.set(under.x, 0.06, under.z);
  }

  dispose(): void {
    this.#trace(null, '');
    for (const m of [this.#mask, this.#line, this.#ring.material]) m.dispose();
    this.#ring.geometry.dispose();
  }

  #trace(p: Person | null, key: string): void {
    for (const r of this.#instances) { this.group.remove(r.mesh); r.dispose(); }
    this.#instances = [];
    this.#around = key;
    this.#row = -1;
    if (!p) return;
    let shape = this.#shapes.get(key);
    if (!shape) {
      const worn = accessoryGeometry(p.look.accessory);
      shape = sculptJoin(worn ? [this.body, hairGeometry(p.look.hairStyle), worn] : [this.body, hairGeometry(p.look.hairStyle)]);
      this.#shapes.set(key, shape);
    }
    for (const [material, order] of [[this.#mask, 8], [this.#line, 9]] as const) {
      const r = new InstanceList(shape, material, false, 1);
      r.mesh.renderOrder = order;
      this.#instances.push(r);
      this.group.add(r.mesh);
    }
  }
}
