import { afterEach, expect, it } from 'vitest';
import { bench, decision } from './testing.tsx';
import { markTab } from './tab.ts';

let stop = (): void => {};
afterEach(() => stop());

it('the tab shows the number of needs, and nothing at zero', () => {
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg">';
  const icon = document.querySelector('link')!;
  const office = bench();
  stop = markTab(office);
  expect([document.title, icon.getAttribute('href')]).toEqual(['Bullpen', '/favicon.svg']);
  office.store.scene.value = { label: 'Cozy office' } as never;
  office.store.decisions.value = [decision(), decision({ decision_id: 'dec_b' })];
  expect(document.title).toBe('(2) Cozy office');
  expect(decodeURIComponent(icon.getAttribute('href')!)).toContain('>2</text>');
  office.store.decisions.value = Array.from({ length: 12 }, (_, i) => decision({ decision_id: `dec_${i}` }));
  expect(document.title).toBe('(12) Cozy office');
  expect(decodeURIComponent(icon.getAttribute('href')!)).toContain('>9+</text>');
  office.store.decisions.value = [];
  expect([document.title, icon.getAttribute('href')]).toEqual(['Cozy office', '/favicon.svg']);
});
