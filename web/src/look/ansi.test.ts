import { expect, it } from 'vitest';
import { contrast, sgrLook } from './ansi.ts';

const rgb = (text: string) => text.match(/\d+/g)!.map(Number) as unknown as readonly [number, number, number];
const grounds = { day: rgb('250 240 224'), night: rgb('35 34 64') };

it('every colour is readable on paper and on every background, by day and by night', () => {
  const fronts = ['', ...Array.from({ length: 256 }, (_, n) => `38;5;${n}`), ...Array.from({ length: 8 }, (_, n) => [`3${n}`, `9${n}`]).flat(), '38;2;255;255;0', '38;2;250;240;224'];
  const backs = ['', '41', '47', '100', '48;5;208', '48;2;128;128;128'];
  for (const fg of fronts) {
    for (const bg of backs) {
      for (const inverse of ['', '7']) {
        const { style } = sgrLook([inverse, fg, bg].filter(Boolean).join(';') || '0');
        for (const hour of ['day', 'night'] as const) {
          const front = style[`--fg-${hour}`];
          if (front) expect(contrast(rgb(front), style[`--bg-${hour}`] ? rgb(style[`--bg-${hour}`]!) : grounds[hour])).toBeGreaterThanOrEqual(4.5);
        }
      }
    }
  }
});

it('attributes become classes', () => {
  expect(sgrLook('1;2;3;4;9').class).toBe('sgr sgr-bold sgr-dim sgr-italic sgr-under sgr-strike');
  expect(sgrLook('1').style).toEqual({});
});
