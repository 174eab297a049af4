import { isObject, type Change, type Content, type Hunk, type Output, type Work } from './content.ts';
import { fileOf, pairHunk, parseUnified, textLines } from './diff.ts';
import { readStyles } from './styles.ts';

type Members = Readonly<Record<string, unknown>>;

const OLD = ['old_string', 'oldString', 'old_str', 'oldText', 'old_text'];
const NEW = ['new_string', 'newString', 'new_str', 'newText', 'new_text'];
/** Matches an error that only repeats the exit code. */
const EXIT = /^exit(ed)?( with)?( code| status)? -?\d+\.?$/i;

/**
 * Returns the content to show for a tool call. contracts/vectors/work.jsonl has the test cases for the browser and
 * the terminal.
 */
export function workOf(tool: string | undefined, args: unknown, result?: Members): Work {
  const given = isObject(args) ? args : {};
  const work = { content: contentOf(tool ?? '', given, result) ?? otherContent(args, result) };
  const error = textOf(result, 'error');
  const said = error !== undefined && !EXIT.test(error) ? { error } : {};
  const cut = (result?.['truncated'] === true || (result === undefined && given['truncated'] === true)) && { cut: true as const };
  return { ...work, ...cut, ...said };
}

/**
 * Returns the names of the arguments that the viewer displays; a permission card lists the others, so that no
 * argument is allowed unseen.
 */
export function drawnArgs(tool: string | undefined, args: Members): readonly string[] {
  const { content, cut } = workOf(tool, args);
  // The office adds these members to truncated arguments.
  const office = cut ? ['truncated', 'bytes'] : [];
  const texts = (...names: readonly string[]) => names.filter((name) => typeof args[name] === 'string');
  switch (content.kind) {
    case 'diff': {
      const change = tool === 'edit' ? drawnEdits(args) : texts('content');
      return [...office, ...texts('path'), ...headerArgs(args), ...change];
    }
    case 'terminal':
      return [...office, ...texts('command')];
    case 'file':
      return [...office, ...texts('path')];
    default:
      return Object.keys(args);
  }
}

/** Returns the names of the arguments that the header of a diff already shows. */
function headerArgs(args: Members): string[] {
  const operation = ['edit', 'write', 'append'].includes(args['operation'] as string) ? ['operation'] : [];
  return typeof args['replace_all'] === 'boolean' ? [...operation, 'replace_all'] : operation;
}

function drawnEdits(args: Members): string[] {
  const edits: unknown = args['edits'];
  if (!Array.isArray(edits) || edits.length === 0) return drawnEdit(args);
  const whole = edits.every((edit: Members) => {
    const drawn = [...headerArgs(edit), ...drawnEdit(edit)];
    return Object.keys(edit).every((name) => drawn.includes(name));
  });
  return whole ? ['edits'] : [];
}

/** Returns the names of the members that editHunk reads. */
function drawnEdit(edit: Members): string[] {
  const name = (names: readonly string[]) => names.filter((n) => typeof edit[n] === 'string').slice(0, 1);
  const [before, after] = [name(OLD), name(NEW)];
  if (before.length > 0 || (after.length > 0 && edit['insert_line'] === undefined)) return [...before, ...after];
  const line = typeof edit['insert_line'] === 'number' ? ['insert_line'] : [];
  return [...line, ...[...name(['insert_text']), ...after, ...name(['new_source'])].slice(0, 1)];
}

function contentOf(tool: string, args: Members, result: Members | undefined): Content | undefined {
  switch (tool) {
    case 'edit':
    case 'write':
    case 'append':
      return diffContent(tool, args, result);
    case 'exec':
      return terminalContent(args, result);
    case 'read':
      return fileContent(args, result);
    default:
      return undefined;
  }
}

function diffContent(tool: Change, args: Members, result: Members | undefined): Content | undefined {
  const path = pathOf(args, result);
  const all = replacesAll(args) ? { all: true as const } : {};
  const diff = textOf(result, 'diff');
  if (diff !== undefined) {
    const files = parseUnified(diff, path, tool);
    return files.length > 0 ? { kind: 'diff', files: files.map((f) => ({ ...f, ...all })) } : undefined;
  }
  const hunks = tool === 'edit' ? editHunks(args) : writeHunks(tool, args, result);
  if (hunks === undefined) return undefined;
  const change = result?.['created'] === true ? 'create' : tool;
  return { kind: 'diff', files: [{ ...fileOf(path, change, hunks), ...all }] };
}

function editHunks(args: Members): Hunk[] | undefined {
  const edits = Array.isArray(args['edits']) && args['edits'].length > 0 ? args['edits'] : [args];
  const hunks = edits.map((edit) => (isObject(edit) ? editHunk(edit) : undefined));
  return hunks.every((hunk) => hunk !== undefined) ? hunks : undefined;
}

function editHunk(edit: Members): Hunk | undefined {
  const before = firstText(edit, OLD);
  const after = firstText(edit, NEW);
  if (before !== undefined || (after !== undefined && edit['insert_line'] === undefined)) return pairHunk(before ?? '', after ?? '');
  const inserted = textOf(edit, 'insert_text', true) ?? after ?? textOf(edit, 'new_source', true);
  if (inserted === undefined) return undefined;
  return { old: 0, new: typeof edit['insert_line'] === 'number' ? edit['insert_line'] + 1 : 0, lines: textLines(inserted).map((line) => `+${line}`) };
}

function writeHunks(tool: Change, args: Members, result: Members | undefined): Hunk[] | undefined {
  const content = textOf(args, 'content', true);
  if (content === undefined) return undefined;
  const lines = textLines(content).map((line) => `+${line}`);
  const start = tool === 'write' ? 1 : (areaOf(result)?.[0] ?? 0);
  return lines.length > 0 ? [{ old: 0, new: start, lines }] : [];
}

function terminalContent(args: Members, result: Members | undefined): Content | undefined {
  const command = textOf(args, 'command');
  const out = outputOf(result, 'stdout').concat(outputOf(result, 'stderr'));
  if (command === undefined && out.length === 0) return undefined;
  const exit = result?.['exitCode'];
  return { kind: 'terminal', ...(command !== undefined && { command }), ...(typeof exit === 'number' && exit >= 0 && { exit }), out };
}

function outputOf(result: Members | undefined, name: string): Output[] {
  const text = textOf(result, name);
  return text === undefined ? [] : [{ name, text, spans: readStyles(text, textOf(result, `${name}Styles`) ?? '') }];
}

function fileContent(args: Members, result: Members | undefined): Content | undefined {
  const path = pathOf(args, result);
  if (path === '') return undefined;
  const area = areaOf(result);
  const offset = Number(args['offset']) || 1;
  return { kind: 'file', path, start: area?.[0] ?? offset, ...(area && { area }), text: textOf(result, 'text') ?? '' };
}

/** Returns the content for a tool without a view of its own: its result, or else its arguments. */
function otherContent(args: unknown, result: Members | undefined): Content {
  const raw = result?.['raw'];
  if (typeof raw === 'object' && raw !== null) return { kind: 'json', value: raw };
  const text = typeof raw === 'string' && raw !== '' ? raw : (textOf(result, 'text') ?? textOf(result, 'summary'));
  if (text !== undefined) return { kind: 'text', text };
  return { kind: 'json', value: args === undefined || args === null ? (result ?? null) : args };
}

function pathOf(args: Members, result: Members | undefined): string {
  const file = isObject(result?.['file']) ? result['file'] : undefined;
  return textOf(file, 'viewerPath') ?? textOf(args, 'path') ?? textOf(file, 'path') ?? '';
}

function areaOf(result: Members | undefined): readonly [number, number] | undefined {
  const area = result?.['area'];
  if (!isObject(area)) return undefined;
  const { startLine, endLine } = area;
  return typeof startLine === 'number' && startLine > 0 ? [startLine, typeof endLine === 'number' ? Math.max(endLine, startLine) : startLine] : undefined;
}

function replacesAll(args: Members): boolean {
  const edits = Array.isArray(args['edits']) ? args['edits'] : [];
  return [args, ...edits].some((edit) => isObject(edit) && edit['replace_all'] === true);
}

function firstText(of: Members, names: readonly string[]): string | undefined {
  const name = names.find((n) => typeof of[n] === 'string');
  return name === undefined ? undefined : (of[name] as string);
}

function textOf(of: Members | undefined, name: string, empty = false): string | undefined {
  const text = of?.[name];
  return typeof text === 'string' && (empty || text !== '') ? text : undefined;
}
