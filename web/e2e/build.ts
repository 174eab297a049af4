import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Builds the program once for all browser tests, in a separate directory, because the Go end-to-end tests may
 * build it at the same time. If BULLPEN_BINARY names a binary, nothing is built.
 */
export default function build(): void {
  if (process.env.BULLPEN_BINARY) return;
  const root = join(import.meta.dirname, '..', '..');
  const binary = join(root, '.cache', 'browser', 'bullpen');
  execFileSync('go', ['build', '-o', binary, './cmd/bullpen'], { cwd: root, stdio: 'inherit' });
  process.env.BULLPEN_BINARY = binary;
}
