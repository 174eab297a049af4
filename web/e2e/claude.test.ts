import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { claudeInstalled, startClaude } from './claude.ts';
import { expect, test } from './fixture.ts';

test('a permission request from the real Claude Code is answered from a browser (A7, S4)', async ({ server, another }) => {
  test.skip(!claudeInstalled, 'Claude Code is not installed; run `make agents`, which installs it from npm');
  const session = await startClaude(server.url, 'touch made-by-claude');
  try {
    const operator = await another('?quality=test&motion=reduced', server.operatorLink);
    await expect(operator.need).toContainText('touch made-by-claude');
    expect(existsSync(join(session.place, 'made-by-claude')), 'nothing runs before the answer').toBe(false);
    await operator.need.getByRole('button', { name: 'Allow once' }).click();
    await expect(operator.need).toHaveCount(0);
    await expect.poll(() => existsSync(join(session.place, 'made-by-claude'))).toBe(true);
    await expect.poll(async () => (await server.state()).agents.find((a) => a.source === 'claude')?.activity).toBe('idle');
  } finally {
    await session.stop();
  }
});
