import { expect, test } from 'vitest';
import { fetchOfficeScene } from './bench_office.ts';

const office = (answers: Record<string, unknown>) => async (path: string) => ({ ok: path in answers, status: path in answers ? 200 : 401, json: async () => answers[path] });

test('the benchmark uses the room of the office that answers', async () => {
  const room = { scene_id: 'our own/room' };
  expect(await fetchOfficeScene(office({ '/v1/state': room, '/v1/scene/our%20own%2Froom': room }))).toBe(room);
});

test('the error says what to set if the office refuses access', async () => {
  await expect(fetchOfficeScene(office({}))).rejects.toThrow('/v1/state returned HTTP 401');
});
