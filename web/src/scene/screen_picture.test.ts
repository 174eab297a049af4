import { expect, test } from 'vitest';
import type { AgentView } from '../world/store.ts';
import { limbs, type Pose } from './people_pose.ts';
import { pictureOf, saver } from './screen_picture.ts';

const at = (status_line: string) => ({ agent_id: 'agent_a', status_line }) as AgentView;

test('a monitor shows what its owner is doing, and is never black', () => {
  expect(pictureOf('type', at('✏️ src/app.ts'), 'copy').kind).toBe('code');
  expect(pictureOf('type', at('⚡ npm install'), undefined).kind).toBe('terminal');
  expect(pictureOf('read', at('⚡ go test ./...'), undefined).kind).toBe('tests');
  expect(pictureOf('read', at('👁 README.md'), 'code').kind).toBe('page');
  expect(pictureOf('type', at(''), 'design').kind).toBe('chart');
  expect(pictureOf('type', null, 'code').kind).toBe('code');
  expect(pictureOf('blocked', at('✏️ a.go'), 'code').kind).toBe('waiting');
  expect(pictureOf('idle', at(''), 'code')).toEqual(saver);
  expect(saver.light).toBe(0.62);
  for (const pose of Object.keys(limbs) as Pose[]) expect(pictureOf(pose, null, undefined).light, pose).toBeGreaterThan(0.3);
});
