import * as T from 'three';
import { accents } from '../look/accents.ts';
import { tintsPerPart } from './kit.ts';

/** A studio's paints whose colours come from its accent, in the order of their tints. */
export const accentPaints = ['accent', 'accent_low_left', 'accent_low_back', 'accent_rug', 'accent_curtain'] as const;

const names = Object.keys(accents);
const colors = { value: names.flatMap(name => accents[name]!.map(hex => new T.Color(hex))) };

/** Returns the number of an accent; an unknown name counts as the first accent. */
export const accentNumber = (name: string): number => Math.max(0, names.indexOf(name));

/**
 * Makes a material draw instances of a studio: each studio's accent sets the colour of its tinted points, and desk
 * modules that are not in use collapse to a point. `iStudio` contains the accent's number, the number of desk modules,
 * and the number of the volume that shades the studio.
 */
export function studioMaterial<M extends T.Material>(material: M): M {
  material.onBeforeCompile = shader => {
    shader.uniforms.uAccents = colors;
    shader.vertexShader = `attribute float kind; attribute vec3 iStudio; uniform vec3 uAccents[${colors.value.length}];\n` + shader.vertexShader
      .replace('#include <begin_vertex>', `#include <begin_vertex>\nif (kind >= ${tintsPerPart}. * (iStudio.y + 1.)) transformed = vec3(0.);`)
      .replace('#include <color_vertex>', `#include <color_vertex>\nint tint = int(mod(kind, ${tintsPerPart}.)); if (tint > 0) vColor.rgb *= uAccents[int(iStudio.x) * ${accentPaints.length} + tint - 1];`);
  };
  return material;
}
