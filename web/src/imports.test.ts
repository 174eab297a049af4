import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

// Maps each module to the modules that it may import. imports_test.go is the Go counterpart.
const allowed: Record<string, readonly string[]> = {
  contracts: [],
  look: ['contracts', 'world'],
  hud: ['contracts'],
  world: ['contracts', 'hud'],
  link: ['contracts', 'world'],
  scene: ['contracts', 'world', 'hud', 'look'],
  overlay: ['contracts', 'world', 'hud', 'look', 'sound'], // sound only to ask for permission to show notifications
  sound: ['contracts', 'world', 'hud'],
};

// Pure modules use neither the DOM, nor three.js, nor a component library, so that the same
// messages produce the same state anywhere.
const pure = ['contracts', 'world', 'hud'];
const impurePackages = /^(three|preact|dompurify|marked|lucide|node:)/;
const impureNames = /\b(document\.|window\.|localStorage|sessionStorage|navigator\.|requestAnimationFrame|setTimeout|setInterval|performance\.|WebSocket|Date\.now|Math\.random|fetch\()/;
// Allows a clock as the default value of a parameter, because callers can pass another clock.
const defaultClock = /\(\w+: \(\) => number = \(\) => [^,)]*\.(now|timeOrigin)\b/;

const source = join(process.cwd(), 'src');
const hex = /['"`(\s:]#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b|\b0x[0-9a-f]{6}\b/i;

interface File { path: string; module: string; text: string }

function files(pattern: RegExp): File[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path) && !/\.test\.tsx?$|testdata/.test(path))
    .map((path) => ({ path, module: path.includes(sep) ? path.split(sep)[0]! : '', text: readFileSync(join(source, path), 'utf8') }));
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/^\s*(?:import|export)\b[^'"]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm)].map((m) => m[1] ?? m[2] ?? m[3]!);
}

/** Returns source code without its comments, because comments may mention any name. */
function code(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}

function moduleOf(file: File, imported: string): string {
  return relative(source, join(source, dirname(file.path), imported)).split(sep)[0]!;
}

describe('imports', () => {
  const scripts = files(/\.tsx?$/);

  it('every module is in the table', () => {
    expect(scripts.filter((f) => f.module !== '' && !(f.module in allowed)).map((f) => f.path)).toEqual([]);
    expect(scripts.length).toBeGreaterThan(10);
  });

  it('modules import only what the table allows', () => {
    const found = scripts.filter((f) => f.module !== '').flatMap((f) => importsOf(f.text)
      .filter((i) => i.startsWith('.') && moduleOf(f, i) !== f.module && !allowed[f.module]!.includes(moduleOf(f, i)))
      .map((i) => `${f.path} imports ${i}`));
    expect(found).toEqual([]);
  });

  it('pure modules stay pure', () => {
    const found = scripts.filter((f) => pure.includes(f.module)).flatMap((f) => [
      ...importsOf(f.text).filter((i) => impurePackages.test(i)).map((i) => `${f.path} imports ${i}`),
      ...code(f.text).split('\n').filter((line) => impureNames.test(line) && !defaultClock.test(line)).map((line) => `${f.path}: ${line.trim()}`),
    ]);
    expect(found).toEqual([]);
  });

  it('colours live in look', () => {
    const found = files(/\.(tsx?|css)$/).filter((f) => f.module !== 'look').flatMap((f) => code(f.text).split('\n')
      .filter((line) => hex.test(line)).map((line) => `${f.path}: ${line.trim()}`));
    expect(found).toEqual([]);
  });

  it('the room and the overlay have no class name in common', () => {
    const names = (path: RegExp) => new Set(files(/\.css$/).filter((f) => path.test(f.path)).flatMap((f) => [...code(f.text).matchAll(/(?:^|[\s,>+~}])\.([a-z][\w-]*)/gi)].map((m) => m[1]!)));
    const room = names(/labels/);
    expect(room.size).toBeGreaterThan(0);
    expect([...names(/^overlay/)].filter((name) => room.has(name))).toEqual([]);
  });
});
