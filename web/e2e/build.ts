import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Builds the program once for all browser tests, in the same place as the Go end-to-end tests, so that an
 * up-to-date binary is not linked again. If BULLPEN_BINARY names a binary, nothing is built.
 */
export default function build(): void {
  if (process.env.BULLPEN_BINARY) return;
  const root = join(import.meta.dirname, '..', '..');
  const binary = join(root, '.cache', 'e2e', 'bullpen');
  execFileSync('go', ['build', '-o', binary, './cmd/bullpen'], { cwd: root, stdio: 'inherit' });
  process.env.BULLPEN_BINARY = binary;
}
