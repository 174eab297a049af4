import { LIMIT_SCREEN_PAD, LIMIT_SCREEN_ROWS } from '../../contracts/limits.gen.ts';
import type { Span } from './content.ts';
import { Pen } from './pen.ts';

/** Control characters that a terminal interprets. */
const CONTROL_CHARS = /[\0-\x08\x0B-\x1F\x7F-\x9F]/;

/** Reports whether text was written for a terminal: it contains a control sequence, such as a colour code. */
export function isTerminal(text: string): boolean {
  return /\x1B\[|\x9B/.test(text);
}

/**
 * Converts terminal output to the visible text and its colours, as hud.Screen does in Go. Cursor
 * movement reaches the last LIMIT_SCREEN_ROWS lines; titles, links and all other sequences are
 * dropped.
 */
export function screenOf(raw: string): { text: string; spans: readonly Span[] } {
  if (!CONTROL_CHARS.test(raw)) return { text: raw, spans: [] };
  return new Screen(raw).read();
}

/** A line: pieces while only ASCII text is appended, otherwise single characters. */
interface Row {
  pieces: [text: string, style: string][];
  /** The number of characters in the pieces. */
  tail: number;
  chars: string[];
  styles: string[];
}

const newRow = (): Row => ({ pieces: [], tail: 0, chars: [], styles: [] });

const SHOWN = /[^\0-\x08\n-\x1F\x7F-\x9F]+/y;
const ASCII = /^[\t -~]*$/;
const ESCAPE = /[ -/]*[0-~]?/y;
const STRING = /[^\x07\x9C\x1B\n]*/y;
const STRING_END = /[\x07\x9C]|\x1B\\/y;
/** Matches the rest of a control sequence: parameters, intermediates, final letter. */
const CONTROL = /([0-?]*)([ -/]*)([@-~]?)/y;

class Screen {
  private at = 0;
  private rows: Row[] = [newRow()];
  private row = 0;
  private col = 0;
  private style = '';
  private pad = LIMIT_SCREEN_PAD;
  /** Caches the style after each SGR sequence, because programs repeat the same few sequences. */
  private readonly known = new Map<string, string>();
  private readonly lines: string[] = [];
  private readonly spans: Span[] = [];

  constructor(private readonly raw: string) {}

  read(): { text: string; spans: readonly Span[] } {
    while (this.at < this.raw.length) this.next();
    while (this.rows.length > 0) this.flush();
    return { text: this.lines.join('\n'), spans: this.spans };
  }

  private next(): void {
    const code = this.raw.charCodeAt(this.at);
    if (code > 0x9f || (code >= 0x20 && code < 0x7f) || code === 9) {
      this.write(this.take(SHOWN));
      return;
    }
    const char = this.raw[this.at++];
    switch (char) {
      case '\n':
        this.down();
        this.col = 0;
        return;
      case '\r':
        this.col = 0;
        return;
      case '\b':
        this.col = Math.max(this.col - 1, 0);
        return;
      case '\x1B':
        this.escape();
        return;
      case '\x9B':
        this.control();
        return;
      case '\x9D':
      case '\x90':
      case '\x98':
      case '\x9E':
      case '\x9F':
        this.skipString();
        return;
    }
  }

  /** Consumes and returns the match at the current position; empty if there is none. */
  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.raw)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private escape(): void {
    const kind = this.raw[this.at] ?? '';
    if (kind === '[' || (kind !== '' && ']PX^_'.includes(kind))) {
      this.at++;
      if (kind === '[') this.control();
      else this.skipString();
      return;
    }
    this.take(ESCAPE);
  }

  /** Skips a string sequence. If it has no end, the rest of its line is skipped, so that the next lines stay visible. */
  private skipString(): void {
    this.take(STRING);
    this.take(STRING_END);
  }

  private control(): void {
    CONTROL.lastIndex = this.at;
    const [all = '', params = '', between, final = ''] = CONTROL.exec(this.raw) ?? [];
    this.at += all.length;
    const isPrivate = params >= '<' && params < '@';
    if (final === 'm' && between === '' && !isPrivate) this.style = this.restyled(params);
    else if (final !== '' && between === '' && !isPrivate) this.applyControl(final, params.split(';'));
  }

  private applyControl(final: string, params: readonly string[]): void {
    const arg = (i: number, missing: number) => (/^\d+$/.test(params[i] ?? '') ? Math.min(Number(params[i]), LIMIT_SCREEN_PAD) : missing);
    const step = Math.max(arg(0, 1), 1);
    switch (final) {
      case 'A':
      case 'F':
        this.row = Math.max(this.row - step, 0);
        break;
      case 'B':
      case 'E':
        for (let i = Math.min(step, this.rows.length - this.row); i > 0; i--) this.down();
        break;
      case 'C':
        this.col += step;
        break;
      case 'D':
        this.col = Math.max(this.col - step, 0);
        break;
      case 'G':
      case '`':
        this.col = step - 1;
        break;
      case 'H':
      case 'f':
        this.row = Math.min(step - 1, this.rows.length - 1);
        this.col = Math.max(arg(1, 1), 1) - 1;
        break;
      case 'J':
        this.eraseScreen(arg(0, 0));
        break;
      case 'K':
        this.eraseLine(arg(0, 0));
        break;
      case 'X':
        this.blank(this.col, this.col + step);
        break;
    }
    if (final === 'E' || final === 'F') this.col = 0;
  }

  /** Writes visible text, usually as one piece at the end of a line. */
  private write(text: string): void {
    const row = this.rows[this.row]!;
    const plain = ASCII.test(text);
    if (plain && row.chars.length === 0 && this.col === row.tail) {
      row.pieces.push([text, this.style]);
      row.tail += text.length;
      this.col = row.tail;
      return;
    }
    for (const char of text) this.put(char);
  }

  /** Splits the line into single characters, so that any of them can be changed. */
  private cells(): Row {
    const row = this.rows[this.row]!;
    for (const [text, style] of row.pieces) {
      for (const char of text) {
        row.chars.push(char);
        row.styles.push(style);
      }
    }
    row.pieces = [];
    row.tail = 0;
    return row;
  }

  private restyled(params: string): string {
    const key = `${this.style} ${params}`;
    let style = this.known.get(key);
    if (style === undefined) {
      const pen = new Pen();
      if (this.style !== '') pen.set(this.style.split(';'));
      pen.set(params.split(';'));
      style = pen.codes();
      if (this.known.size < LIMIT_SCREEN_PAD) this.known.set(key, style);
    }
    return style;
  }

  private put(char: string): void {
    const { chars, styles } = this.cells();
    const gap = this.col - chars.length;
    if (gap > this.pad) this.col = chars.length;
    for (; chars.length < this.col; this.pad--) {
      chars.push(' ');
      styles.push('');
    }
    chars[this.col] = char;
    styles[this.col] = this.style;
    this.col++;
  }

  private down(): void {
    this.row++;
    if (this.row === this.rows.length) this.rows.push(newRow());
    if (this.rows.length > LIMIT_SCREEN_ROWS) {
      this.flush();
      this.row--;
    }
  }

  private eraseLine(what: number): void {
    const row = this.cells();
    if (what === 0) row.chars.length = row.styles.length = Math.min(this.col, row.chars.length);
    if (what === 1) this.blank(0, this.col + 1);
    if (what === 2) this.rows[this.row] = newRow();
  }

  private eraseScreen(what: number): void {
    if (what === 0) this.rows.length = this.row + 1;
    if (what === 1) this.rows = this.rows.map((row, i) => (i < this.row ? newRow() : row));
    if (what <= 1) this.eraseLine(what);
    if (what !== 2 && what !== 3) return;
    this.rows = [newRow()];
    this.row = this.col = 0;
  }

  private blank(from: number, to: number): void {
    const { chars, styles } = this.cells();
    for (let i = from; i < Math.min(to, chars.length); i++) {
      chars[i] = ' ';
      styles[i] = '';
    }
  }

  /** Emits the first line, which can no longer change. */
  private flush(): void {
    const { pieces, chars, styles } = this.rows.shift()!;
    if (pieces.length > 0) {
      this.flushPieces(pieces);
      return;
    }
    for (let from = 0; from < chars.length; ) {
      let to = from;
      while (to < chars.length && styles[to] === styles[from]) to++;
      if (styles[from] !== '') this.spans.push([this.lines.length, from, to, styles[from]!]);
      from = to;
    }
    this.lines.push(chars.join(''));
  }

  private flushPieces(pieces: readonly (readonly [string, string])[]): void {
    let from = 0;
    for (const [text, style] of pieces) {
      const last = this.spans.at(-1);
      const goesOn = last?.[0] === this.lines.length && last[2] === from && last[3] === style;
      if (goesOn) this.spans[this.spans.length - 1] = [last[0], last[1], from + text.length, style];
      else if (style !== '') this.spans.push([this.lines.length, from, from + text.length, style]);
      from += text.length;
    }
    this.lines.push(pieces.map(([text]) => text).join(''));
  }
}
