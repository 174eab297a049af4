import type { SceneManifest } from '../contracts/protocol.gen.ts';

type Get = (path: string) => Promise<Pick<Response, 'ok' | 'status' | 'json'>>;

async function read<T>(get: Get, path: string): Promise<T> {
  const answer = await get(path);
  if (!answer.ok) {
    throw new Error(`${path} returned HTTP ${answer.status}: start an office, and set BULLPEN_URL (and BULLPEN_TOKEN) for npm run dev`);
  }
  return (await answer.json()) as T;
}

/** Fetches the manifest of the room that the office uses. */
export async function fetchOfficeScene(get: Get): Promise<SceneManifest> {
  const { scene_id: id } = await read<{ scene_id: string }>(get, '/v1/state');
  return fetchScene(get, id);
}

/** Fetches the manifest of a scene by its id. */
export const fetchScene = (get: Get, id: string): Promise<SceneManifest> => read<SceneManifest>(get, `/v1/scene/${encodeURIComponent(id)}`);
