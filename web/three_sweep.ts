import { parseAst } from 'vite';

/** A node of a syntax tree, as ESTree defines it. */
type Tree = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>;

interface Edit { start: number; end: number; text: string }

/** A method that can be dropped: its name, its range in the code and the names that its body mentions. */
interface Method { name: string; start: number; end: number; mentions: Set<string> }

/** The parts that a library is built without. */
export interface Absent {
  /** Properties that no object sets: reads of them are replaced with null. */
  options: ReadonlySet<string>;
  /** Functions whose calls are removed if the result is not used. */
  calls: ReadonlySet<string>;
}

/** Names of methods that the language itself calls, even if no code mentions them. */
const implicit = ['toString', 'valueOf', 'then'];

/** Returns the names that code mentions as a property, an object key or a string. */
export function mentionsOf(sources: readonly string[]): Set<string> {
  const mentions = new Set<string>();
  for (const code of sources) collect(parse(code), mentions);
  return mentions;
}

/**
 * Returns a library's code without the methods that nothing can call. A method is kept if its name is mentioned by the
 * callers or by the rest of the kept code. A bundler alone would keep all methods of a class. Names that are built at
 * run time are not detected.
 */
export function sweepMethods(library: string, callers: ReadonlySet<string>): string {
  const used = new Set([...implicit, ...callers]);
  const methods: Method[] = [];
  collect(parse(library), used, methods);
  for (let unused = methods; ;) {
    const kept = unused.filter(m => used.has(m.name));
    if (kept.length === 0) return edit(library, unused.map(({ start, end }) => ({ start, end, text: '' })));
    unused = unused.filter(m => !used.has(m.name));
    for (const m of kept) for (const name of m.mentions) used.add(name);
  }
}

/**
 * Returns a library's code with fixed values for properties that never change, so that the minifier drops the branches
 * that depend on them. A property such as `isThing` becomes false if no code sets it and no caller mentions it. An
 * absent option becomes null.
 */
export function foldAbsent(library: string, callers: ReadonlySet<string>, { options, calls }: Absent): string {
  const known = new Set(callers), reads: { name: string; tree: Tree }[] = [], edits: Edit[] = [];
  each(parse(library), (tree, parent, role) => {
    if (tree.type === 'MemberExpression' && !tree.computed) {
      const name = nameOf(tree.property) ?? '';
      const called = parent?.type === 'CallExpression' && role === 'callee';
      const written = (parent?.type === 'AssignmentExpression' && role === 'left') || parent?.type === 'UpdateExpression';
      if (called || written) known.add(name);
      else reads.push({ name, tree });
    } else if (tree.type === 'ExpressionStatement' && dropped(tree.expression as Tree, options, calls)) {
      edits.push({ start: tree.start, end: tree.end, text: ';' });
    } else {
      const name = tree.type === 'MethodDefinition' || tree.type === 'PropertyDefinition' ? nameOf(tree.key) : mention(tree);
      if (name !== undefined) known.add(name);
    }
  });
  for (const { name, tree: { start, end } } of reads) {
    if (options.has(name)) edits.push({ start, end, text: 'null' });
    else if (/^is[A-Z]/.test(name) && !known.has(name)) edits.push({ start, end, text: 'false' });
  }
  return edit(library, edits);
}

/** Returns the code without the class methods that have one of the given names. */
export function dropMethods(code: string, names: ReadonlySet<string>): string {
  const edits: Edit[] = [];
  if (![...names].some(name => code.includes(`${name}(`))) return code;
  each(parse(code), tree => {
    const name = tree.type === 'MethodDefinition' ? methodName(tree) : undefined;
    if (name !== undefined && names.has(name)) edits.push({ start: tree.start, end: tree.end, text: '' });
  });
  return edit(code, edits);
}

/** Reports whether an expression sets an absent option or calls a dropped function. */
function dropped(tree: Tree, options: ReadonlySet<string>, calls: ReadonlySet<string>): boolean {
  const target = (tree.type === 'AssignmentExpression' ? tree.left : tree.type === 'CallExpression' ? tree.callee : undefined) as Tree | undefined;
  if (target?.type === 'Identifier') return tree.type === 'CallExpression' && calls.has(nameOf(target) ?? '');
  return tree.type === 'AssignmentExpression' && target?.type === 'MemberExpression' && !target.computed && options.has(nameOf(target.property) ?? '');
}

const parse = (code: string): Tree => parseAst(code) as unknown as Tree;

function edit(code: string, edits: readonly Edit[]): string {
  let out = '', at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < at) continue; // inside a range that is replaced as a whole
    out += code.slice(at, start) + text;
    at = end;
  }
  return out + code.slice(at);
}

function each(tree: Tree, visit: (tree: Tree, parent?: Tree, role?: string) => void, parent?: Tree, role?: string): void {
  visit(tree, parent, role);
  for (const key in tree) for (const child of childrenAt(tree, key)) each(child, visit, tree, key);
}

function childrenAt(tree: Tree, key: string): readonly Tree[] {
  const part = tree[key];
  if (Array.isArray(part)) return part.filter(isTree);
  return isTree(part) ? [part] : [];
}

/**
 * Adds the names that a tree mentions to `mentions`. If `methods` is given, each method is added to it, with the
 * names that the method mentions.
 */
function collect(tree: Tree, mentions: Set<string>, methods?: Method[]): void {
  const name = methods && methodName(tree);
  if (name !== undefined) {
    const method = { name, start: tree.start, end: tree.end, mentions: new Set<string>() };
    methods!.push(method);
    collect((tree.value ?? (tree.expression as Tree).right) as Tree, method.mentions, methods);
    return;
  }
  const mentioned = mention(tree);
  if (mentioned !== undefined) mentions.add(mentioned);
  for (const key in tree) for (const child of childrenAt(tree, key)) collect(child, mentions, methods);
}

const isTree = (value: unknown): value is Tree => typeof (value as Tree | null)?.type === 'string';

/** Returns the name of the method defined by a class member or by a statement `this.name = function () {}`. */
function methodName(tree: Tree): string | undefined {
  if (tree.type === 'MethodDefinition') return tree.kind === 'constructor' || tree.computed ? undefined : nameOf(tree.key);
  if (tree.type !== 'ExpressionStatement') return undefined;
  const { left, right } = tree.expression as { left?: Tree; right?: Tree };
  const own = left?.type === 'MemberExpression' && (left.object as Tree).type === 'ThisExpression' && !left.computed;
  return own && right?.type === 'FunctionExpression' ? nameOf(left.property) : undefined;
}

function mention(tree: Tree): string | undefined {
  if (tree.type === 'MemberExpression') return tree.computed ? undefined : nameOf(tree.property);
  if (tree.type === 'Property') return tree.computed ? undefined : nameOf(tree.key);
  if (tree.type === 'Literal') return nameOf(tree);
  return tree.type === 'TemplateElement' ? (tree.value as { cooked?: string }).cooked : undefined;
}

function nameOf(key: unknown): string | undefined {
  const { type, name, value } = key as { type: string; name?: string; value?: unknown };
  return type === 'Identifier' ? name : typeof value === 'string' ? value : undefined;
}
