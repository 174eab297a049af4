import type { Decision } from '../../contracts/protocol.gen.ts';

/** What is asked, in one line; the sign that a label begins with is drawn as an icon here. */
export function asked({ permission, prompt }: Decision): string {
  return (permission?.label ?? prompt).replace(/^\p{Extended_Pictographic}\uFE0F?\s*/u, '');
}
