import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Builds the program once for all browser tests. BULLPEN_BINARY names one that exists already. */
export default function build(): (() => void) | undefined {
  if (process.env.BULLPEN_BINARY) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'bullpen-e2e-'));
  const binary = join(directory, 'bullpen');
  execFileSync('go', ['build', '-o', binary, './cmd/bullpen'], { cwd: join(import.meta.dirname, '..', '..'), stdio: 'inherit' });
  process.env.BULLPEN_BINARY = binary;
  return () => rmSync(directory, { recursive: true, force: true });
}
