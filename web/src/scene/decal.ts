import * as T from 'three';
import { light } from '../look/palette.ts';
import type { Shade } from './volume.ts';

/** The height of contact shadow in metres, just above the thickest rug. */
const shadeHeight = 0.056;

/** Returns a texture of one colour. `alpha` returns the opacity of a texel, 0 to 255; row 0 is the lower edge. */
export function alphaTexture(width: number, height: number, rgb: readonly number[], alpha: (i: number, j: number) => number): T.DataTexture {
  const data = new Uint8Array(width * height * 4);
  for (let j = 0; j < height; j++) {
    for (let i = 0, at = j * width * 4; i < width; i++, at += 4) {
      data[at] = rgb[0]!;
      data[at + 1] = rgb[1]!;
      data[at + 2] = rgb[2]!;
      data[at + 3] = alpha(i, j);
    }
  }
  const t = new T.DataTexture(data, width, height);
  t.colorSpace = T.SRGBColorSpace;
  t.magFilter = T.LinearFilter;
  t.minFilter = T.LinearMipmapLinearFilter;
  t.generateMipmaps = true;
  t.anisotropy = 4;
  t.needsUpdate = true;
  return t;
}

export type Decal = T.Mesh<T.PlaneGeometry, T.MeshBasicMaterial>;

/** Returns a horizontal textured plane at height y; the caller disposes of it with disposeDecal. */
export function createDecal(map: T.Texture, w: number, d: number, y: number): Decal {
  const look = { map, transparent: true, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 };
  const mesh = new T.Mesh(new T.PlaneGeometry(w, d), new T.MeshBasicMaterial(look));
  mesh.rotation.x = -Math.PI / 2;
  mesh.position.y = y;
  return mesh;
}

/** Returns the contact shadow for a floor of this size. */
export function createContact({ width, height, dark }: Shade, w: number, d: number): Decal {
  // The first row of the shade is at the back of the floor, but the first row of a texture is
  // at its front.
  const map = alphaTexture(width, height, light.contact, (i, j) => dark[(height - 1 - j) * width + i]!);
  const mesh = createDecal(map, w, d, shadeHeight);
  mesh.renderOrder = 1;
  return mesh;
}

export function disposeDecal(decal: Decal): void {
  decal.geometry.dispose();
  decal.material.map?.dispose();
  decal.material.dispose();
}
