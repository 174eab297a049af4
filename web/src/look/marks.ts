/** The colours of status marks in the room. Each mark also has a shape or a word. */
export const markColors = {
  idle: '#5f7d70',
  walk: '#4d6da3',
  think: '#7a5a94',
  type: '#2f746f',
  read: '#2f746f',
  meet: '#9a6410',
  carry: '#a8452a',
  ask: '#b3261e',
  wait: '#9a6410',
  blocked: '#8a5a1c',
  done: '#3f7d3b',
  offline: '#77706c',
} as const;

/** The colours that figures and boxes have regardless of the agent. */
export const rigColors = { dark: '#2b2831', white: '#f7f0e4', blush: '#f0826d', box: '#d2a06b', gold: '#f5c443', red: '#c9473f', tape: '#e9cfa2' } as const;

/** The colours of effects on people: light over an agent that needs you, selection, drop target, thoughts, shadow. */
export const focusColors = { column: '#ffb71f', columnCore: '#fff7c9', ring: '#ffd98a', outline: '#fff6d8', drop: '#7fd1a8', mote: '#a37fc4', shadow: '#3c160a' } as const;

/**
 * The colours of the notes, presents, dolls and plinths in a new office. Those in starterColors are paler than the
 * colour of any kind of work.
 */
export const starterPaint = { ribbon: '#fffaf0', pin: '#c9c0b4', wood: '#f0d9b5', plinth: '#a9714a', plate: '#f3dc9c' } as const;
export const starterColors = ['#f7e3b5', '#f0c3b1', '#c6dccb', '#cfdfe8', '#e2cfe0'] as const;

/** The colours of objects that people hold in their free time: books and a watering can. */
export const pastimeColors = { books: ['#4b9a94', '#d5704f', '#3f5875', '#eaa83f', '#7d5a7f'], can: '#4b9a94' } as const;

/** The colours of cats, unless the scene sets others, and of the hearts over a cat that is being petted. */
export const catColors = { fur: '#e9a15f', dark: '#d68a48', lid: '#2f3142', nose: '#f3b9a6', heart: '#e2566f' } as const;

/** The colours of the board, bin, lamp and sign on a desk, and of the text on monitors. */
export const deskColors = {
  frame: '#8b5a3c', bin: '#5b8f95', paper: '#fffdf6', paperDark: '#f0e2c8', beacon: '#ff4a36', beaconBase: '#3a3540', sign: '#ffd45c', signFrame: '#a8752a',
  screen: '#1d2535', glow: '#e8f1ff',
} as const;

/** The colours of confetti. */
export const finaleColors = ['#f5c443', '#d5704f', '#3f8f8a', '#f3b9a6', '#4d6da3', '#fff7e6', '#8c6aa3', '#7fd1a8'] as const;
/** The colour of the lamp over the trophies while the crew celebrates. */
export const finaleLight = '#ffca7a';

/**
 * Returns the colour of a guest's lanyard and of the threads to its sub-agents: its source's colour if valid,
 * otherwise brown.
 */
export const badgeColor = (from: { color: string } | undefined): string => (from && /^#[\da-f]{6}$/.test(from.color) ? from.color : '#8a6b5c');

const kinds: Readonly<Record<string, string>> = {
  research: '#8fc3d9',
  plan: '#eaa83f',
  copy: '#f3b9a6',
  design: '#c79bc9',
  code: '#6fb3ab',
  review: '#a9c3a0',
};

/** Returns the colour for a kind of work on cards and boxes. Unknown kinds look like cardboard. */
export const kindColor = (kind: string | undefined): string => (kind !== undefined && Object.hasOwn(kinds, kind) ? kinds[kind]! : rigColors.box);

/** The colours of a card on the wall, and of the approval stamp. */
export const cardColors = { ink: '#4b342b', faint: '#8a6b5c', paper: '#fffdf8', stamp: '#3f7d3b' } as const;

export const trophyColors = { gold: '#f5c443', silver: '#dfe4ee', bronze: '#d98f58', base: '#8b5a3c', sea: '#8fc3d9', land: '#6db463', red: '#d9534a', chrome: '#dfe3ea' } as const;

/** The shades of a box's cardboard and of its lighter tape; each is multiplied by the colour for the kind of work. */
export const solidShade = ['#e2e2e2', '#ffffff'] as const;
