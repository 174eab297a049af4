import { hairs, skins, tops, trousers } from './palette.ts';

export const hairStyles = ['short', 'bob', 'bun', 'cap', 'long', 'curly'] as const;
export const accessories = ['none', 'glasses', 'headphones', 'scarf'] as const;
export type HairStyle = (typeof hairStyles)[number];
export type Accessory = (typeof accessories)[number];

/** What somebody looks like, as #rrggbb colours and named parts. */
export interface Identity { skin: string; hair: string; top: string; trousers: string; hairStyle: HairStyle; accessory: Accessory }

/** FNV-1a with a final mix, so that ids that differ in one letter look nothing alike. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const take = <T>(list: readonly T[], id: string, salt: string): T => list[hash(salt + id) % list.length]!;

/** The same person always looks the same, on every screen and after every restart. */
export function identity(agentId: string): Identity {
  return {
    skin: take(skins, agentId, 'skin:'),
    hair: take(hairs, agentId, 'hair:'),
    top: take(tops, agentId, 'top:'),
    trousers: take(trousers, agentId, 'trousers:'),
    hairStyle: take(hairStyles, agentId, 'style:'),
    accessory: take(accessories, agentId, 'accessory:'),
  };
}
