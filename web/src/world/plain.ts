import { bidiNames } from '../contracts/words.gen.ts';

const turning = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Returns untrusted text with bidi control characters made visible, because they could
 * make "gpj.exe" read as "exe.jpg".
 */
export function plain(text: string): string {
  return text.replace(turning, (c) => `⟨${bidiNames[c]}⟩`);
}
