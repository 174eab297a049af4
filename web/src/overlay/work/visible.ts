import { plain } from '../../world/plain.ts';

/** A piece of untrusted text: plain text, an invisible character, or a redacted secret. */
export type Piece = string | { unseen: string; code: string } | { redacted: true };

/** The server's replacement for a secret. */
const MARK = '[redacted]';
const UNSEEN = /[\0-\x08\x0B-\x1F\x7F-\x9F\u2028\u2029\u2800]|(?!\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/u;
const SPLIT = new RegExp(`(${UNSEEN.source}|\\[redacted\\])`, 'u');

const names: Readonly<Record<number, string>> = {
  0x1b: 'ESC', 0x0d: 'CR', 0x08: 'BS', 0xad: 'SHY', 0x200b: 'ZWSP', 0x200c: 'ZWNJ', 0x200d: 'ZWJ', 0x2028: 'LSEP', 0x2029: 'PSEP', 0x2060: 'WJ', 0xfeff: 'BOM', 0x3164: 'FILLER',
};

/** Splits untrusted text into pieces, so that invisible characters and redacted secrets can be made visible. */
export function pieces(text: string): readonly Piece[] {
  if (!UNSEEN.test(text) && !text.includes(MARK)) return [text];
  const parts = text.split(SPLIT);
  return parts.flatMap((part, i): Piece[] => {
    if (part === '') return [];
    if (i % 2 === 0) return [part];
    if (part === MARK) return [{ redacted: true }];
    return joins(part, parts[i - 1] ?? '', parts[i + 1] ?? '') ? [part] : [named(part)];
  });
}

/**
 * Reports whether a character is a legitimate joiner: emoji and many scripts need joiners, but between Latin letters
 * a joiner has no visible effect.
 */
function joins(part: string, before: string, after: string): boolean {
  return (part === '\u200D' || part === '\u200C') && /[^\0-\u024F]$/u.test(before) && /^[^\0-\u024F]/u.test(after);
}

function named(char: string): Piece {
  const code = char.codePointAt(0)!;
  const known = plain(char);
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return { unseen: known === char ? `⟨${names[code] ?? hex}⟩` : known, code: hex };
}
