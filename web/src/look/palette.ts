/**
 * The room's default colours, for colours that a scene manifest omits. The manifest's palette takes precedence, so a
 * scene can repaint any of these by using the same name.
 */
export const paint: Readonly<Record<string, string>> = {
  coffee: '#6b4130', paper: '#fffdf6', paper_warm: '#fdf0d8', board: '#fffdf8', rule: '#d8d2c6',
  note_yellow: '#ffe27a', note_rose: '#ffb3a0', note_mint: '#a9dccb', note_sky: '#b9d4f2', note_pink: '#f6c6dd',
  key_row: '#e4dfd6', key_row_dark: '#d9d4cc',
  shelf_back: '#b98453', bookshelf_back: '#b27d4d', slat_light: '#e6bb88', slat_dark: '#dcae78',
  stem: '#6f8b4d', stalk: '#5d8f4e', cactus: '#5f9f62', cactus_arm: '#6db06b', bloom: '#f29bb0',
  petal_rose: '#f6a5b4', petal_gold: '#ffd27a', petal_cream: '#fff1e0',
  tile_1: '#fdf3e3', tile_2: '#f6e2cc', tile_3: '#eac3a6', tile_4: '#fbeedd',
  sink: '#8d98a4', jar_oat: '#f2d9b5', jar_clay: '#c9825b', jar_leaf: '#8fb28a', jar_peach: '#d99a6c', jar_sage: '#b9cfa6', jar_rose: '#f0c8b8',
  apple: '#e4694f', lemon: '#f3b33e', pear: '#8fbf5a', orange: '#f08a4b', bread: '#dba463',
  fridge_seam: '#d99d84', memo: '#fff6da',
  bulb: '#fff0c2', bulb_1: '#ffe2a0', bulb_2: '#ffd08a', bulb_3: '#fff0c8', strip: '#ffe9b8', led_green: '#9be7a0', led_amber: '#ffd27a', wire: '#5b4a43',
  muzzle: '#fff3e2', sunset: '#e8b27a', sun_disc: '#fff3c9', dial: '#fffdf6', swatch_ink: '#5a5570', unknown: '#cbb79f',
};

/** The colours of people's skin, hair and clothes, picked by a hash of their id. */
export const skins = ['#f6c9a4', '#8d5a3c', '#f2b98d', '#c98a5e', '#ffdcc0', '#a86f49', '#e8ab7d', '#f8d0b0'] as const;
export const hairs = ['#4a2f27', '#2a2028', '#c46a3a', '#1f1c26', '#e0b062', '#3a2620', '#7b4a2e', '#5b3a5e'] as const;
export const tops = ['#d9694c', '#3f8f8a', '#f0ab3c', '#4d6da3', '#8c6aa3', '#6ba368', '#e78aa0', '#f4e6cf'] as const;
export const trousers = ['#3f4a66', '#5a4a42', '#405a5c', '#33384d', '#6b5347', '#3d4459', '#4a5a78', '#54617a'] as const;

/** The colours of light and shadow that are painted, not computed. */
export const light = {
  shaft: '#ffd18c', pane: '#ffdca0', mote: '#fff0cf', glow: '#ffbe6e', halo: '#ffd98a',
  /** The colours of contact shadows on the floor and below the whole room, as red, green and blue. */
  contact: [70, 28, 14], base: [120, 55, 25],
} as const;

/** The colours of the hour between day and night, when the sun is low. */
export const evening = {
  sun: '#ffa765', fill: '#c79fcf', sky: '#ffe4d2', ground: '#a87260', pane: '#ffab78', beam: '#ff9a4a',
  backdrop: ['#ffe6c4', '#f4b08a', '#b9688a'],
} as const;

/** A picture on a monitor: background gradient, top bar, and content lines. */
export interface ScreenLook { from: string; to: string; bar: string; lines: readonly string[] }

const dark = ['#7fe0c9', '#ffd27a', '#f79a8c', '#9fc6ff', '#e6ecf5'] as const;
export const screens: Readonly<Record<'code' | 'terminal' | 'page' | 'tests' | 'waiting' | 'chart' | 'saver' | 'saver_dusk', ScreenLook>> = {
  code: { from: '#20304a', to: '#2d4766', bar: '#ffffff18', lines: dark },
  terminal: { from: '#17373b', to: '#1d4a4e', bar: '#ffffff18', lines: ['#7fe0c9', '#cfe9e2', '#9fc6ff'] },
  page: { from: '#fdf6ea', to: '#f6e6cd', bar: '#e3cfae', lines: ['#d5704f', '#4b9a94', '#a79c90', '#eaa83f'] },
  tests: { from: '#2b2440', to: '#3d3058', bar: '#ffffff18', lines: ['#7fd38a', '#ff7b6b', '#e6ecf5', '#b8aed2'] },
  waiting: { from: '#5b4a63', to: '#46384f', bar: '#ffffff18', lines: ['#ffd98a'] },
  chart: { from: '#fdf6ea', to: '#f3e2cb', bar: '#e3cfae', lines: ['#d5704f', '#4b9a94', '#eaa83f', '#8fc3d9'] },
  saver: { from: '#fbe3b8', to: '#f3a77f', bar: '#fff3d6', lines: ['#e88f6a', '#5aa39c', '#2f746f'] },
  saver_dusk: { from: '#8fc3d9', to: '#cfe6ea', bar: '#fff7e6', lines: ['#7fb2a6', '#4b9a94', '#3f5875'] },
};
