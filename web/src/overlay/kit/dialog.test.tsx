import { cleanup, render } from '@testing-library/preact';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { Dialog } from './dialog.tsx';

beforeAll(() => {
  // The tests' DOM may lack modal dialogs.
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false;
  };
});
afterEach(() => {
  cleanup();
  document.body.replaceChildren();
});

function panelWithButton(): [HTMLElement, HTMLElement] {
  const panel = document.body.appendChild(document.createElement('section'));
  panel.className = 'panel';
  panel.tabIndex = -1;
  return [panel, panel.appendChild(document.createElement('button'))];
}

const window = () => (
  <Dialog title="Keys" label="Keys" onClose={() => {}}>
    <button type="button">Inside</button>
  </Dialog>
);

it('returns the focus to the opener', () => {
  const [, button] = panelWithButton();
  button.focus();
  const view = render(window());
  view.getByText('Inside').focus();
  view.unmount();
  expect(document.activeElement).toBe(button);
});

it('focuses the panel if the opener is gone', () => {
  const [panel, button] = panelWithButton();
  button.focus();
  const view = render(window());
  view.getByText('Inside').focus();
  button.remove();
  view.unmount();
  expect(document.activeElement).toBe(panel);
});
