/** Characters that turn the writing direction around unseen, by the names that Unicode gives them. */
const names: Readonly<Record<string, string>> = {
  '\u061C': 'ALM',
  '\u200E': 'LRM',
  '\u200F': 'RLM',
  '\u202A': 'LRE',
  '\u202B': 'RLE',
  '\u202C': 'PDF',
  '\u202D': 'LRO',
  '\u202E': 'RLO',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
};
const turning = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Text of strangers in which nothing turns the writing direction unseen: what
 * would make "gpj.exe" read as "exe.jpg" is shown by its name instead.
 */
export function plain(text: string): string {
  return text.replace(turning, (c) => `⟨${names[c]}⟩`);
}
