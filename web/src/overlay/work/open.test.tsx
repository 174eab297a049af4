import { render } from 'preact';
import { expect, test } from 'vitest';
import { Loaded, loadViewer } from './open.tsx';

test('a part that is mounted while the viewer loads is drawn, even if its effects run later', async () => {
  await import('./viewer.tsx');
  const page = document.createElement('div');
  const loaded = loadViewer();
  render(<Loaded draw={() => 'the call'} />, page);
  expect(page.textContent).not.toBe('the call');
  await loaded;
  await expect.poll(() => page.textContent).toBe('the call');
});
