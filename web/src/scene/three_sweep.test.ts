import { describe, expect, it } from 'vitest';
import { dropMethods, foldAbsent, mentionsOf, sweepMethods } from '../../three_sweep.ts';

const bare = (code: string): string => code.replaceAll(/\s+/g, '');

describe('sweeping methods', () => {
  const library = `class Box { size() { return this.wide() } wide() { return 1 } save() { return this.load() } load() { return this.save() } get area() { return 1 } constructor() { this.tilt = function () {}; this.lift = function () {}; } }`;

  it('keeps what callers mention and what that mentions in turn', () => {
    expect(sweepMethods(library, mentionsOf(['box.size(); box["area"]; const { tilt } = box;']))).toContain('wide()');
    expect(sweepMethods(library, mentionsOf(['box.size(); box["area"]; const { tilt } = box;']))).toMatch(/area\(\).*this\.tilt/);
  });

  it('drops the others, even if they call each other', () => {
    expect(bare(sweepMethods(library, mentionsOf(['new Box().size'])))).toBe(bare('class Box { size() { return this.wide() } wide() { return 1 } constructor() { } }'));
  });

  it('keeps methods that the language calls and methods with computed names', () => {
    expect(sweepMethods('class A { toString() { return "a" } *[Symbol.iterator]() {} static make() {} }', new Set())).toBe('class A { toString() { return "a" } *[Symbol.iterator]() {}  }');
  });

  it('keeps methods that a kept part of the library mentions', () => {
    const code = 'class A { copy() {} } const a = { run: () => new A().copy() };';
    expect(sweepMethods(code, new Set())).toBe(code);
  });
});

describe('folding absent features', () => {
  const none = { options: new Set<string>(), calls: new Set<string>() };

  it('replaces flags that nothing sets with false', () => {
    expect(foldAbsent('class Mesh { constructor() { this.isMesh = true } } if (x.isMesh || x.isLine) draw(x)', new Set(), none)).toContain('if (x.isMesh || false) draw(x)');
  });

  it('keeps flags that callers mention, and functions', () => {
    const code = 'if (x.isLine || Array.isArray(x)) draw(x)';
    expect(foldAbsent(code, mentionsOf(['x.isLine = true']), none)).toBe(code);
  });

  it('makes options null, and drops statements that set them', () => {
    expect(bare(foldAbsent('this.fog = null; this.fog = source.fog; if (scene.fog) use(scene.fog.color)', new Set(), { ...none, options: new Set(['fog']) }))).toBe(';;if(null)use(null.color)');
  });

  it('drops calls whose result is not used', () => {
    expect(foldAbsent('warn("a"); const b = warn("b");', new Set(), { ...none, calls: new Set(['warn']) })).toBe('; const b = warn("b");');
  });
});

describe('dropping methods', () => {
  it('drops the named ones from all classes', () => {
    expect(bare(dropMethods('class A { copy(a) { return a } keep() {} } class B { copy() {} }', new Set(['copy'])))).toBe('classA{keep(){}}classB{}');
  });
});
