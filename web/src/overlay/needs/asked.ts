import type { Decision } from '../../contracts/protocol.gen.ts';

/** Returns the question in one line, without the label's leading sign, which is drawn as an icon. */
export function asked({ permission, prompt }: Decision): string {
  return (permission?.label ?? prompt).replace(/^\p{Extended_Pictographic}\uFE0F?\s*/u, '');
}
