/** The supported SGR attributes. The attribute "hidden" (8) is not supported: hidden text is shown. */
const ATTRIBUTES = [1, 2, 3, 4, 7, 9];
const ENDS: Readonly<Record<number, readonly number[]>> = { 22: [1, 2], 23: [3], 24: [4], 27: [7], 29: [9] };

/** The style of the next character in a terminal: attributes and two colours. */
export class Pen {
  private readonly on = new Set<number>();
  private fg = '';
  private bg = '';

  /** Returns the style as SGR codes in a fixed order; empty for plain text. */
  codes(): string {
    return [...ATTRIBUTES.filter((a) => this.on.has(a)).map(String), this.fg, this.bg].filter((code) => code !== '').join(';');
  }

  /** Applies the parameters of one SGR sequence. */
  set(params: readonly string[]): void {
    for (let i = 0; i < params.length; i++) {
      const param = params[i]!;
      if (param.includes(':')) this.setParts(param.split(':'));
      else if (param === '38' || param === '48') {
        const [colour, used] = colourOf(params.slice(i + 1));
        this.colour(param, colour);
        i += used;
      } else if (/^\d*$/.test(param)) this.code(Number(param));
    }
  }

  /** Applies one parameter whose parts are separated by colons. */
  private setParts(parts: readonly string[]): void {
    const [code, ...rest] = parts;
    if (code === '4') this.toggle(4, rest[0] !== '0');
    if (code !== '38' && code !== '48') return;
    // Skip a colour space in front of the colour.
    const plain = rest[0] === '2' && rest.length >= 5 ? ['2', ...rest.slice(2)] : rest;
    this.colour(code, colourOf(plain)[0]);
  }

  private code(code: number): void {
    if (code === 0) {
      this.on.clear();
      this.fg = this.bg = '';
    }
    if (ATTRIBUTES.includes(code)) this.on.add(code);
    if (code === 21) this.on.add(4);
    for (const a of ENDS[code] ?? []) this.on.delete(a);
    if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) this.fg = String(code);
    if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) this.bg = String(code);
    if (code === 39) this.fg = '';
    if (code === 49) this.bg = '';
  }

  private toggle(attribute: number, on: boolean): void {
    if (on) this.on.add(attribute);
    else this.on.delete(attribute);
  }

  private colour(code: string, colour: string): void {
    if (colour === '') return;
    if (code === '38') this.fg = `38;${colour}`;
    else this.bg = `48;${colour}`;
  }
}

/**
 * Returns the colour after parameter 38 or 48, and the number of parameters read; an invalid colour is empty.
 */
function colourOf(params: readonly string[]): [string, number] {
  if (params.length === 0) return ['', 0];
  const size = params[0] === '5' ? 2 : params[0] === '2' ? 4 : 0;
  if (size === 0) return ['', 1];
  if (params.length < size) return ['', params.length];
  const numbers = params.slice(1, size);
  if (!numbers.every((n) => /^\d*$/.test(n) && Number(n) <= 255)) return ['', size];
  return [[params[0]!, ...numbers.map(Number)].join(';'), size];
}
