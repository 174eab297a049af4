import { type BufferGeometry, InstancedBufferAttribute, InstancedBufferGeometry, type Material, Mesh } from 'three';

/**
 * Draws one geometry for each person on its list. Positions and movements are in the
 * cast's texture, so a list changes only when a person arrives, leaves or changes appearance.
 */
export class InstanceList {
  readonly mesh: Mesh<InstancedBufferGeometry, Material>;
  readonly #base: BufferGeometry;
  #who: InstancedBufferAttribute;
  #tint: InstancedBufferAttribute | null = null;
  #count = 0;

  constructor(base: BufferGeometry, material: Material, readonly tinted = false, capacity = 16) {
    this.#base = base;
    this.#who = new InstancedBufferAttribute(new Float32Array(capacity), 1);
    this.mesh = new Mesh(this.#geometry(capacity), material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  get count(): number { return this.#count; }

  /** Sets whether to draw everything or only the parts that are visible from far away. */
  plain(far: boolean): void { this.mesh.geometry.setDrawRange(0, far ? (this.#base.userData.plain as number) : Infinity); }

  /** Starts a new list. */
  clear(): void { this.#count = 0; }

  add(index: number, tint?: ArrayLike<number>): void {
    if (this.#count === this.#who.count) this.#grow();
    this.#who.array[this.#count] = index;
    if (this.#tint && tint) this.#tint.setXYZ(this.#count, tint[0]!, tint[1]!, tint[2]!);
    this.#count++;
  }

  /** Ends the list and shows it. */
  show(): void {
    this.mesh.geometry.instanceCount = this.#count;
    this.mesh.visible = this.#count > 0;
    this.#who.needsUpdate = true;
    if (this.#tint) this.#tint.needsUpdate = true;
  }

  dispose(): void { this.mesh.geometry.dispose(); }

  #grow(): void {
    const who = this.#who, tint = this.#tint, old = this.mesh.geometry;
    this.#who = new InstancedBufferAttribute(new Float32Array(who.count * 2), 1);
    this.mesh.geometry = this.#geometry(who.count * 2);
    this.#who.array.set(who.array);
    if (tint) this.#tint!.array.set(tint.array);
    old.dispose();
  }

  #geometry(capacity: number): InstancedBufferGeometry {
    const g = new InstancedBufferGeometry();
    for (const [name, a] of Object.entries(this.#base.attributes)) g.setAttribute(name, a);
    g.setIndex(this.#base.index);
    g.setAttribute('iWho', this.#who);
    if (this.tinted) g.setAttribute('iTint', this.#tint = new InstancedBufferAttribute(new Float32Array(capacity * 3), 3));
    g.instanceCount = 0;
    return g;
  }
}
