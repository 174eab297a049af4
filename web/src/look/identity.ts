import { hairs, skins, tops, trousers } from './palette.ts';

/** The look of an agent, derived only from its id, role, source and parent, so that it is the same for every viewer. */
export interface Identity {
  skin: string;
  hair: string;
  top: string;
  trousers: string;
  hairStyle: HairStyle;
  accessory: Accessory;
  /** The scale of the body, about 1. */
  height: number;
  /** A number from 0 to 1 that keeps people from moving in step. */
  seed: number;
}

export const hairStyles = ['short', 'bob', 'bun', 'tail', 'beanie', 'curly', 'long', 'quiff', 'cropped'] as const;
export type HairStyle = (typeof hairStyles)[number];
export const accessories = ['none', 'glasses', 'headphones', 'beret', 'cap', 'visor', 'pencil', 'scarf', 'tie'] as const;
export type Accessory = (typeof accessories)[number];

/** The accessory of each role, so that roles can be told apart from a distance. */
const wornByRole: Readonly<Record<string, Accessory>> = {
  bd: 'tie',
  researcher: 'glasses',
  writer: 'pencil',
  designer: 'beret',
  engineer: 'headphones',
  strategist: 'cap',
  reviewer: 'visor',
};
const wornByChance: readonly Accessory[] = ['none', 'scarf', 'none', 'glasses'];

/** The accessories of guests; all leave the chest free for the lanyard. */
const wornByGuests: readonly Accessory[] = ['none', 'glasses', 'none', 'headphones', 'none'];
/** The size of a sub-agent relative to other agents. */
const subSize = 0.8;
/** The size of a sub-agent at its parent's desk, relative to other agents. */
const perchSize = 0.56;

/** The source and parent of a guest. */
export interface Origin { source?: string | undefined; parent_id?: string | undefined }

/** Hair styles that fit under a hat. */
const underHat: readonly HairStyle[] = ['short', 'bob', 'tail', 'long', 'cropped'];
const hats: readonly Accessory[] = ['beret', 'cap', 'visor', 'headphones'];
const loose: readonly HairStyle[] = hairStyles;

/** A navy blazer, worn only by the BD, who speaks for the office. */
const blazer = '#34466b';

/** Returns an FNV-1a hash with extra mixing, so that similar ids have very different hashes. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

export function identity(agentId: string, role?: string, of: Origin = {}, perched = false): Identity {
  const h = hash(agentId);
  const at = <T>(list: readonly T[], salt: number): T => list[hash(`${salt}:${h}`) % list.length]!;
  const accessory = (role !== undefined && Object.hasOwn(wornByRole, role) ? wornByRole[role] : undefined) ?? at(of.source ? wornByGuests : wornByChance, 5);
  return {
    skin: at(skins, 1),
    hair: at(hairs, 2),
    // A sub-agent wears its parent's colour.
    top: role === 'bd' ? blazer : of.parent_id ? identity(of.parent_id, role).top : at(tops, 3),
    trousers: at(trousers, 4),
    hairStyle: at(hats.includes(accessory) ? underHat : loose, 6),
    accessory,
    height: (0.96 + ((h >>> 8) % 100) / 1100) * (perched ? perchSize : of.parent_id ? subSize : 1),
    seed: (h % 1000) / 1000,
  };
}

/** Returns the look of a visitor: plain and light, so that visitors are not mistaken for the crew. */
export function visitor(playerId: string, own: boolean): Identity {
  const h = hash(playerId);
  return {
    skin: skins[h % skins.length]!,
    hair: hairs[(h >>> 4) % hairs.length]!,
    top: own ? '#fff3d6' : '#dfe6ee',
    trousers: own ? '#c98d57' : '#8a93a6',
    hairStyle: own ? 'quiff' : 'cropped',
    accessory: own ? 'scarf' : 'none',
    height: 1.04,
    seed: (h % 1000) / 1000,
  };
}
