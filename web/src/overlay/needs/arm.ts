import { useLayoutEffect } from 'preact/hooks';
import type { Office } from '../office.ts';

/** How long a card must be visible before it accepts an answer, in ms. */
const ARM_MS = 450;

/**
 * Arms a need after it has been visible for a moment. The moment begins with a frame, not
 * with the message: a page that hangs still shows the old card, and keys pressed meanwhile
 * are handled before the timer.
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
