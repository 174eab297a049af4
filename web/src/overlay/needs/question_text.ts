import type { Decision } from '../../contracts/protocol.gen.ts';

/** Returns the text of a question without its leading emoji, which is drawn as an icon. */
export function questionText({ permission, prompt }: Decision): string {
  return (permission?.label ?? prompt).replace(/^\p{Extended_Pictographic}\uFE0F?\s*/u, '');
}
