import './overlay.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { Contents } from './artifact/content.ts';
import { trackCoveredAreas } from './cover.ts';
import type { OverlayDeps } from './deps.ts';
import { Root } from './frame/root.tsx';
import { listenKeys } from './keys.ts';
import { watchAnswerQueue } from './needs/answer_queue.ts';
import { watchWithdrawn } from './needs/withdrawn.tsx';
import { OfficeContext, type Office } from './office.ts';
import { Shell } from './shell.ts';
import { markTab } from './tab.ts';
import { applyTheme, startClock } from './theme.ts';

export type { LinkView, OverlayDeps } from './deps.ts';

/** Mounts the overlay, which is the whole page except the room. Returns a function that unmounts it. */
export function mountOverlay(root: HTMLElement, deps: OverlayDeps): () => void {
  const office: Office = { ...deps, shell: new Shell(deps), contents: new Contents(deps.store) };
  root.classList.add('ov');
  const stops = [startClock(office), applyTheme(root, office), listenKeys(office), watchWithdrawn(office), watchAnswerQueue(office), followSelection(office), showRoomErrors(office), trackCoveredAreas(root, office), releaseButtons(root), markTab(office)];
  render(
    <OfficeContext.Provider value={office}>
      <Root />
    </OfficeContext.Provider>,
    root,
  );
  return () => {
    render(null, root);
    for (const stop of stops) stop();
    root.classList.remove('ov');
  };
}

// Opens the panel of the agent selected in the room; clearing the selection opens the inbox again.
function followSelection({ focus, shell }: Office): () => void {
  return effect(() => {
    const selected = focus.selected.value;
    if (selected?.kind === 'agent') shell.panel.value = 'agent';
    else if (shell.panel.peek() === 'agent') shell.panel.value = 'needs';
  });
}

// Shows the room's error messages as toasts.
function showRoomErrors({ focus, shell }: Office): () => void {
  return effect(() => {
    const text = focus.roomError.value;
    if (text === null) return;
    focus.roomError.value = null;
    shell.toast(text, 'bad');
  });
}

// Blurs a button after a mouse click, so that Space triggers the office's shortcut next, not another click.
function releaseButtons(root: HTMLElement): () => void {
  const release = (e: MouseEvent) => {
    if (e.detail > 0 && e.target instanceof Element) e.target.closest<HTMLElement>('button')?.blur();
  };
  root.addEventListener('click', release);
  return () => root.removeEventListener('click', release);
}
