// Prints the compressed size of the client and fails if all its scripts together, including
// those loaded on demand, exceed the limit.
//
//   node scripts/size.mjs
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const scriptLimit = 300 * 1024; // gzipped bytes
const assets = join('dist', 'assets');

const page = await readFile(join('dist', 'index.html'), 'utf8');
const rows = [];
for (const name of (await readdir(assets)).sort()) {
  if (!/\.(js|css|woff2)$/.test(name)) continue;
  const plain = await readFile(join(assets, name));
  rows.push({
    name,
    part: part(name),
    plain: plain.length,
    gzip: name.endsWith('.woff2') ? plain.length : gzipSync(plain, { level: 9 }).length,
    brotli: name.endsWith('.woff2') ? plain.length : brotliCompressSync(plain).length,
  });
}

function part(name) {
  if (name.startsWith('three-')) return 'three';
  if (name.endsWith('.woff2')) return 'font';
  if (name.endsWith('.css')) return 'style';
  return page.includes(name) ? 'app' : 'lazy';
}

const kb = (bytes) => (bytes / 1024).toFixed(1).padStart(9);
console.log(`${'file'.padEnd(44)} part ${'plain'.padStart(11)}${'gzip'.padStart(10)}${'brotli'.padStart(10)}  (KB)`);
for (const r of rows) console.log(`${r.name.padEnd(44)} ${r.part.padEnd(6)}${kb(r.plain)} ${kb(r.gzip)} ${kb(r.brotli)}`);

const scripts = rows.filter((r) => r.name.endsWith('.js'));
const total = scripts.reduce((sum, r) => sum + r.gzip, 0);
console.log(`all scripts: ${kb(total).trim()} KB gzipped (limit: ${scriptLimit / 1024} KB)`);
if (total > scriptLimit) {
  console.error('the scripts exceed the limit: shrink or drop a library');
  process.exitCode = 1;
}
