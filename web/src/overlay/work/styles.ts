import type { Span } from './content.ts';

const RUN = /^(\d{1,9}):(\d{1,9})-(\d{1,9})=([\d;]{1,64})$/;
const CODE = /^(?:[123479]|3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8;5;(\d{1,3})|[34]8;2;(\d{1,3});(\d{1,3});(\d{1,3}))(?:;|$)/;

/**
 * Parses the recorded colours of terminal output (contracts/vectors/README.md). Malformed spans and spans
 * outside the text are ignored.
 */
export function readStyles(text: string, styles: string): readonly Span[] {
  if (styles === '') return [];
  const lines = text.split('\n');
  return styles.split(' ').flatMap((run) => {
    const found = RUN.exec(run);
    if (!found) return [];
    const [line, from, to] = [Number(found[1]), Number(found[2]), Number(found[3])];
    const known = lines[line];
    const fits = known !== undefined && from < to && to <= [...known].length;
    return fits && isSgr(found[4]!) ? [[line, from, to, found[4]!] as const] : [];
  });
}

/** Reports whether all SGR codes are supported by the viewer. */
export function isSgr(codes: string): boolean {
  for (let rest = codes; ; ) {
    const found = CODE.exec(rest);
    if (!found || found.slice(1).some((n) => n !== undefined && Number(n) > 255)) return false;
    rest = rest.slice(found[0].length);
    if (rest === '') return !found[0].endsWith(';');
  }
}
