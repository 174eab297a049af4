import { describe, expect, test } from 'vitest';
import { Vector3 } from 'three';
import { nightAt, nightFor, mixHex, paintSky } from './night.ts';
import { firstHit } from './pick.ts';
import { chooseQuality, FrameTimer, quality, stepDown } from './quality.ts';

describe('quality', () => {
  test('is low with a software renderer and high elsewhere', () => {
    for (const renderer of ['ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)))', 'llvmpipe (LLVM 15)', 'Microsoft Basic Render Driver']) expect(chooseQuality({ renderer }).quality.tier).toBe('low');
    expect(chooseQuality({ renderer: 'ANGLE (NVIDIA, GeForce)' }).quality.tier).toBe('high');
    expect(chooseQuality({ phone: true, cores: 4 }).quality.tier).toBe('low');
  });

  test('the URL wins over the setting and the setting over the machine; both are pinned', () => {
    expect(chooseQuality({ asked: 'test', set: 'high', renderer: 'llvmpipe' })).toEqual({ quality: quality('test'), pinned: true });
    expect(chooseQuality({ set: 'high', renderer: 'llvmpipe' })).toEqual({ quality: quality('high'), pinned: true });
    expect(chooseQuality({ asked: 'ultra', set: 'auto', renderer: 'llvmpipe' }).pinned).toBe(false);
  });

  test('steps down to a minimum and never up', () => {
    let q = quality('high'), steps = 0;
    for (let next = stepDown(q); next; next = stepDown(q)) { expect(next.dpr <= q.dpr && next.step > q.step).toBe(true); q = next; steps++; }
    expect(steps).toBeLessThan(6);
    expect(q.shadows).toBe('none');
  });

  test('a few slow frames are ignored; each window with a slow median lowers the quality once', () => {
    const timer = new FrameTimer();
    expect(Array.from({ length: 200 }, (_, i) => timer.add(i % 5 === 0 ? 120 : 16)).some(Boolean)).toBe(false);
    const slow = new FrameTimer(), lowered = Array.from({ length: 48 }, () => slow.add(60)).filter(Boolean).length;
    expect(lowered).toBe(2);
    const crawl = new FrameTimer();
    expect(Array.from({ length: 5 }, () => crawl.add(900)).filter(Boolean).length).toBe(1);
  });
});

describe('night', () => {
  test('is dark at night, light by day and smooth in between', () => {
    expect([0, 3, 6, 22, 23.9].map(nightAt)).toEqual([1, 1, 1, 1, 1]);
    expect([8, 12, 17].map(nightAt)).toEqual([0, 0, 0]);
    expect(nightAt(19)).toBeCloseTo(0.5);
    for (let h = 0; h < 24; h += 0.05) { expect(nightAt(h)).toBeGreaterThanOrEqual(0); expect(Math.abs(nightAt(h + 0.05) - nightAt(h))).toBeLessThan(0.06); }
  });

  test('prefers the setting to the clock', () => {
    const noon = new Date(2026, 5, 1, 12);
    expect([nightFor('auto', noon), nightFor('night', noon), nightFor('day', new Date(2026, 5, 1, 1))]).toEqual([0, 1, 0]);
  });

  test('paints the page between its two skies', () => {
    expect(mixHex('#000000', '#ffffff', 0.5)).toBe('#808080');
    const el = document.createElement('div'), camera = { target: [0, 0, 0] as [number, number, number], distance: 1, azimuth: 0, elevation: 0 };
    paintSky(el, { day: { colors: ['#ffffff', '#ffffff', '#ffffff'], stops: [0, 40, 100] }, night: { colors: ['#000000', '#000000', '#000000'], stops: [0, 60, 100] }, camera, fov: 18 }, 1);
    expect(el.style.getPropertyValue('--sky-1')).toBe('#000000');
    expect(el.dataset.hour).toBe('night');
  });
});

test('people come before furniture, the nearest first', () => {
  const point = new Vector3();
  const hits = [{ ref: { kind: 'poi', id: 'desk' }, distance: 1, point }, { ref: { kind: 'agent', id: 'b' }, distance: 9, point }, { ref: { kind: 'agent', id: 'a' }, distance: 4, point }] as const;
  expect(firstHit(hits)?.ref.id).toBe('a');
  expect(firstHit(hits.slice(0, 1))?.ref.id).toBe('desk');
  expect(firstHit([])).toBeNull();
});
