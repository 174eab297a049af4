import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModel, type Prompt, type ToolCall } from './model.ts';

const FIRST = `/** Returns the sum of a cart, in cents. */
export function sum(items: readonly Item[]): number {
  let total = 0;
  for (const item of items) total += item.price;
  return total;
}

export interface Item {
  name: string;
  price: number;
}
`;
const counted = FIRST.replace('item.price;', 'item.price * item.count;').replace('  price: number;', '  price: number;\n  count: number;');
const rounded = counted.replace('return total;', 'return Math.round(total);');

const PLAN = { summary: 'One task.', tasks: [{ title: 'Count the items of a cart', description: 'The sum must count each item.', kind: 'code', priority: 1 }] };
const REVIEW = { summary: 'One remark.', findings: [{ path: 'src/cart.ts', line: 4, severity: 'problem', text: 'Half a cent is lost.' }] };
const DONE = { question: null, artifacts: [], follow_ups: [] };

/**
 * Plans one task, reviews with one finding, and delivers the first version of the cart, or the second version if the
 * prompt contains both the user's comment and the reviewer's finding on line 4.
 */
function work({ text, tools, used }: Prompt): string | readonly ToolCall[] {
  if (text.includes('Review the change.')) return JSON.stringify(REVIEW);
  if (!tools) return JSON.stringify(PLAN);
  if (used) return JSON.stringify(DONE);
  const back = text.includes('src/cart.ts:4: Round the total.') && text.includes('src/cart.ts:4: problem: Half a cent is lost.');
  return [
    { tool: 'write_file', args: { path: 'src/cart.ts', content: back ? rounded : counted } },
    { tool: 'write_file', args: { path: 'package-lock.json', content: `{"lockfileVersion": ${back ? 3 : 2}}\n` } },
  ];
}

/** A git repository, and the settings of an office whose crew works in it with a stub model. */
export interface Shop {
  dir: string;
  config: string;
  git(...args: string[]): string;
  stop(): Promise<void>;
}

export async function openShop(): Promise<Shop> {
  const home = await mkdtemp(join(tmpdir(), 'bullpen-shop-'));
  const dir = join(home, 'shop');
  const config = join(home, 'bullpen.yaml');
  const model = await startModel(work);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { env: { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' } }).toString().trim();
  await mkdir(join(dir, 'src'), { recursive: true });
  await writeFile(join(dir, 'src', 'cart.ts'), FIRST);
  await writeFile(join(dir, '.bullpen.yaml'), 'checks:\n  - name: unit\n    command: grep -n "price \\* item.count" src/cart.ts\n  - name: types\n    command: test -f src/cart.ts\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'first');
  await writeFile(config, `crew: local\nrunners:\n  local: {kind: openai, base_url: "${model.url}", model: model-a, mode: edit}\nrepos:\n  - path: ${dir}\n    target: main\n`);
  return {
    dir,
    config,
    git,
    stop: async () => {
      model.stop();
      await rm(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
