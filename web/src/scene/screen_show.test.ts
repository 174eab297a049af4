import { expect, test } from 'vitest';
import type { AgentView } from '../world/store.ts';
import { limbs, type Pose } from './people_pose.ts';
import { saver, showOf } from './screen_show.ts';

const at = (status_line: string) => ({ agent_id: 'agent_a', status_line }) as AgentView;

test('a monitor shows what its owner does, and is never black', () => {
  expect(showOf('type', at('✏️ src/app.ts'), 'copy').kind).toBe('code');
  expect(showOf('type', at('⚡ npm install'), undefined).kind).toBe('terminal');
  expect(showOf('read', at('⚡ go test ./...'), undefined).kind).toBe('tests');
  expect(showOf('read', at('👁 README.md'), 'code').kind).toBe('page');
  expect(showOf('type', at(''), 'design').kind).toBe('chart');
  expect(showOf('type', null, 'code').kind).toBe('code');
  expect(showOf('blocked', at('✏️ a.go'), 'code').kind).toBe('waiting');
  expect(showOf('idle', at(''), 'code')).toEqual(saver);
  expect(saver.light).toBe(0.62);
  for (const pose of Object.keys(limbs) as Pose[]) expect(showOf(pose, null, undefined).light, pose).toBeGreaterThan(0.3);
});
