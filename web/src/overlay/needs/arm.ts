import { useLayoutEffect } from 'preact/hooks';
import type { Office } from '../office.ts';

/** How long a card must be visible before it accepts an answer, in ms. */
const ARM_MS = 450;

/**
 * Arms a need after it has been visible for ARM_MS. The delay starts when a frame is drawn, not
 * when the message arrives, because a hung page still shows the old card. Keys pressed during the
 * hang are handled before the timer fires.
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
