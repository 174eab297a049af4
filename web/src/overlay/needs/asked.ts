import type { Decision } from '../../contracts/protocol.gen.ts';

/** Returns a question on one line, without the sign at its start, which is drawn as an icon. */
export function asked({ permission, prompt }: Decision): string {
  return (permission?.label ?? prompt).replace(/^\p{Extended_Pictographic}\uFE0F?\s*/u, '');
}
