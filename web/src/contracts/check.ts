import { payloads, shapes } from './shapes.gen.ts';

// Describes a value: the name of a JavaScript type, "any", the name of another shape, [item] or
// [item, length] for an array, or the members of an object, where "name?" is optional.
type Shape = string | readonly [Shape, number?] | { readonly [member: string]: Shape };

/** The result of check; 'unknown' means that this version does not support the message type. */
export type CheckResult = 'valid' | 'unknown' | 'invalid';

/** Checks whether a value is a server message with a known type and a valid shape. */
export function check(value: unknown): CheckResult {
  if (!isObject(value)) return 'invalid';
  const { type, id, ts, v, payload } = value;
  if (typeof type !== 'string' || typeof id !== 'string' || typeof ts !== 'number' || v !== 1) return 'invalid';
  if (type === 'pong') return 'valid';
  const shape = Object.hasOwn(payloads, type) ? payloads[type] : undefined;
  if (shape === undefined) return 'unknown';
  return fits(shape, payload) ? 'valid' : 'invalid';
}

function fits(shape: Shape, value: unknown): boolean {
  if (typeof shape === 'string') return fitsName(shape, value);
  if (isList(shape)) {
    const [item, length] = shape;
    if (!Array.isArray(value) || (length !== undefined && value.length !== length)) return false;
    return value.every((one) => fits(item, one));
  }
  if (!isObject(value)) return false;
  for (const member in shape) {
    const optional = member.endsWith('?');
    const found = value[optional ? member.slice(0, -1) : member];
    if (found === undefined ? !optional : !fits(shape[member]!, found)) return false;
  }
  return true;
}

function fitsName(name: string, value: unknown): boolean {
  switch (name) {
    case 'any':
      return true;
    case 'string':
    case 'boolean':
      return typeof value === name;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return isObject(value);
  }
  return fits(shapes[name] as Shape, value);
}

const isList = (shape: Shape): shape is readonly [Shape, number?] => Array.isArray(shape);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
