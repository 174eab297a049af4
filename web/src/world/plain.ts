import { bidiNames } from '../contracts/words.gen.ts';

const turning = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Text of strangers in which nothing turns the writing direction unseen: what
 * would make "gpj.exe" read as "exe.jpg" is shown by its name instead.
 */
export function plain(text: string): string {
  return text.replace(turning, (c) => `⟨${bidiNames[c]}⟩`);
}
