// The colours of terminal output on our backgrounds, by day and by night. Text has a contrast of at least 4.5:1.

/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

interface Theme {
  ground: Rgb;
  ink: Rgb;
  /** The sixteen numbered ANSI colours. */
  named: readonly Rgb[];
}

const hex = (text: string): Rgb => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)) as unknown as Rgb;
const theme = (ground: string, ink: string, named: string): Theme => ({ ground: hex(ground), ink: hex(ink), named: named.split(' ').map(hex) });

const day = theme('#faf0e0', '#4b342b', '#4b342b #a3302a #2f6b3a #7a5600 #23609a #6d4a83 #2a6b66 #6f5a4d #795b4c #b5372d #36763f #86600b #2a6bb0 #7d4f9a #22736d #4b342b');
const night = theme('#232240', '#f7ecdb', '#9a97c2 #ff9d8a #a4dca6 #f3c064 #9fcbf5 #dcc0ee #86cfc6 #e6dccb #b5b2d6 #ffb3a3 #b9ecbb #ffe7a6 #b9dcff #ecd6fa #a2ddd6 #f7ecdb');

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
const MIN_CONTRAST = 4.5;

/** The look of a run of terminal output: its classes, and the custom properties that work.css reads. */
export interface Drawn {
  class: string;
  style: Readonly<Record<string, string>>;
}

const known = new Map<string, Drawn>();
const KNOWN = 512;

/** Returns the look of text with these SGR codes. Results are cached. */
export function sgrLook(codes: string): Drawn {
  let drawn = known.get(codes);
  if (drawn) return drawn;
  drawn = lookOf(codes);
  if (known.size >= KNOWN) known.clear();
  known.set(codes, drawn);
  return drawn;
}

const names: Readonly<Record<string, string>> = { 1: 'sgr-bold', 2: 'sgr-dim', 3: 'sgr-italic', 4: 'sgr-under', 9: 'sgr-strike' };

function lookOf(codes: string): Drawn {
  const classes = ['sgr'];
  const colours: { fg?: string; bg?: string } = {};
  let inverse = false;
  for (const [code] of codes.matchAll(/[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|\d+/g)) {
    if (names[code]) classes.push(names[code]);
    else if (code === '7') inverse = true;
    else colours[/^(4|10)/.test(code) ? 'bg' : 'fg'] = code;
  }
  const style: Record<string, string> = {};
  for (const [suffix, of] of [['day', day], ['night', night]] as const) {
    const [fg, bg] = pair(of, colours, inverse);
    if (fg) style[`--fg-${suffix}`] = css(fg);
    if (bg) style[`--bg-${suffix}`] = css(bg);
  }
  return { class: classes.join(' '), style };
}

function pair(of: Theme, { fg, bg }: { fg?: string; bg?: string }, inverse: boolean): [Rgb | null, Rgb | null] {
  const [front, back] = [fg ? colourOf(fg, of) : null, bg ? colourOf(bg, of) : null];
  if (inverse) return [readable(back ?? of.ground, front ?? of.ink), front ?? of.ink];
  if (back) return [readable(front ?? of.ink, back), back];
  return [front && readable(front, of.ground), null];
}

function colourOf(code: string, { named }: Theme): Rgb {
  const [kind, mode, ...rest] = code.split(';').map(Number);
  if (mode === 2) return [rest[0]!, rest[1]!, rest[2]!];
  if (mode === 5) return indexed(rest[0]!, named);
  const n = kind! % 10;
  return named[kind! >= 90 ? n + 8 : n]!;
}

/** Returns colour n of the 256-colour palette: sixteen named colours, then a 6×6×6 cube, then greys. */
function indexed(n: number, named: readonly Rgb[]): Rgb {
  if (n < 16) return named[n]!;
  if (n >= 232) return [0, 1, 2].map(() => 8 + (n - 232) * 10) as unknown as Rgb;
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  return [level(Math.floor((n - 16) / 36)), level(Math.floor((n - 16) / 6) % 6), level((n - 16) % 6)];
}

/** Returns the colour, mixed with as much black or white as it needs to be readable on the background. */
export function readable(colour: Rgb, ground: Rgb): Rgb {
  const towards = contrast(BLACK, ground) > contrast(WHITE, ground) ? BLACK : WHITE;
  for (let share = 0; share < 1; share += 0.1) {
    const mixed = colour.map((c, i) => Math.round(c + (towards[i]! - c) * share)) as unknown as Rgb;
    if (contrast(mixed, ground) >= MIN_CONTRAST) return mixed;
  }
  return towards;
}

/** Returns the WCAG contrast ratio of two colours. */
export function contrast(a: Rgb, b: Rgb): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high! + 0.05) / (low! + 0.05);
}

function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

const css = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;
