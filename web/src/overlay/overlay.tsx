import './overlay.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { coverRoom } from './cover.ts';
import type { OverlayDeps } from './deps.ts';
import { Root } from './frame/root.tsx';
import { listenKeys } from './keys.ts';
import { watchVerdicts } from './needs/verdict.ts';
import { watchWithdrawn } from './needs/withdrawn.tsx';
import { OfficeContext, type Office } from './office.ts';
import { Shell } from './shell.ts';
import { markTab } from './tab.ts';
import { dress, keepTime } from './theme.ts';

export type { LinkView, OverlayDeps } from './deps.ts';

/** Puts everything that is not the room over the room. Returns how to take it away. */
export function mountOverlay(root: HTMLElement, deps: OverlayDeps): () => void {
  const office: Office = { ...deps, shell: new Shell(deps) };
  root.classList.add('ov');
  const stops = [keepTime(office), dress(root, office), listenKeys(office), watchWithdrawn(office), watchVerdicts(office), followSelection(office), coverRoom(root, office), releaseButtons(root), markTab(office)];
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

// The person chosen in the room is shown next to it; clearing the selection brings the inbox back.
function followSelection({ focus, shell }: Office): () => void {
  return effect(() => {
    const selected = focus.selected.value;
    if (selected?.kind === 'agent') shell.panel.value = 'agent';
    else if (shell.panel.peek() === 'agent') shell.panel.value = 'needs';
  });
}

// A button pressed with the mouse lets go of the focus: the next Space is meant for the office, not for the button again.
function releaseButtons(root: HTMLElement): () => void {
  const release = (e: MouseEvent) => {
    if (e.detail > 0 && e.target instanceof Element) e.target.closest<HTMLElement>('button')?.blur();
  };
  root.addEventListener('click', release);
  return () => root.removeEventListener('click', release);
}
