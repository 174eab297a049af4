import { useLayoutEffect } from 'preact/hooks';
import type { Office } from '../office.ts';

/** A card that has just come under the pointer or the keys takes no answer yet, in milliseconds. */
const ARM_MS = 450;

/**
 * Arms a need once it has been in sight for a moment. The moment begins with a frame, not
 * with the news: a page that hangs shows the old card, and what is pressed meanwhile comes
 * before the timer.
 */
export function useArm({ shell }: Pick<Office, 'shell'>, need: string, members = need): void {
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => (shell.armed.value = need), ARM_MS);
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      if (shell.armed.peek() === need) shell.armed.value = null;
    };
  }, [need, members]);
}
