// Checks that dist was built from this source: builds it again elsewhere and compares the bytes.
// Compressed files are decompressed first, because the zlib and brotli of different Node versions
// compress the same text differently.
//
//   node scripts/dist.mjs
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { build } from 'vite';
import { compress } from './compress.mjs';

const committed = 'dist';

async function contents(directory) {
  const files = new Map();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    files.set(relative(directory, path).replaceAll('\\', '/'), unpack(path, await readFile(path)));
  }
  return files;
}

function unpack(path, bytes) {
  if (path.endsWith('.br')) return brotliDecompressSync(bytes);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

function differences(want, have) {
  const found = [];
  for (const [name, bytes] of want) {
    const other = have.get(name);
    if (!other) found.push(`${name} is missing`);
    else if (!bytes.equals(other)) found.push(`${name} differs`);
  }
  for (const name of have.keys()) if (!want.has(name)) found.push(`${name} is not part of the build`);
  return found;
}

const fresh = await mkdtemp(join(tmpdir(), 'bullpen-dist-'));
try {
  await build({ logLevel: 'warn', build: { outDir: fresh, emptyOutDir: true } });
  await compress(fresh);
  const found = differences(await contents(fresh), await contents(committed));
  if (found.length > 0) {
    console.error(`web/dist does not match the source; run \`npm run build\` and commit web/dist:\n  ${found.join('\n  ')}`);
    process.exitCode = 1;
  } else {
    console.log('web/dist matches the source');
  }
} finally {
  await rm(fresh, { recursive: true, force: true });
}
