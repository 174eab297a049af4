import { afterEach, expect, it, vi } from 'vitest';
import { LabelMeasure } from './labels_measure.ts';

afterEach(() => { Reflect.deleteProperty(document, 'fonts'); vi.restoreAllMocks(); });

it('measures again when a font loads late, and calls back', () => {
  const fonts = new EventTarget(), changed = vi.fn(), plate = document.createElement('div');
  Object.defineProperty(document, 'fonts', { configurable: true, value: fonts });
  let wide = 10;
  const pen = { font: '', measureText: () => ({ width: wide }) };
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(pen as never);
  const measure = new LabelMeasure(plate, changed), before = measure.pill('Ada', '');
  wide = 40;
  expect(measure.pill('Ada', '')).toBe(before);
  fonts.dispatchEvent(new Event('loadingdone'));
  expect(changed).toHaveBeenCalledOnce();
  expect(measure.pill('Ada', '')).toBe(before + 30);
  measure.dispose();
  fonts.dispatchEvent(new Event('loadingdone'));
  expect(changed).toHaveBeenCalledOnce();
  expect(plate.childElementCount).toBe(0);
});
