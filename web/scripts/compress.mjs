// Writes a .br and a .gz next to every text file of a built client, so that the server does not
// have to compress anything during a request.
//
//   node scripts/compress.mjs [directory, dist by default]
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const textual = new Set(['.js', '.css', '.html', '.svg', '.json']);

/** @param {string} directory */
export async function compress(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !textual.has(extname(entry.name))) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const plain = await readFile(path);
    await keepIfSmaller(`${path}.gz`, plain, gzipSync(plain, { level: 9 }));
    await keepIfSmaller(`${path}.br`, plain, brotliCompressSync(plain, {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
    }));
  }
}

async function keepIfSmaller(path, plain, packed) {
  if (packed.length < plain.length) await writeFile(path, packed);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await compress(process.argv[2] ?? 'dist');
