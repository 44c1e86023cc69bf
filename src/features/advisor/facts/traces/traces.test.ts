import { describe, expect, it } from 'vitest';
import { fitOf } from './find-frames.ts';
import { conditionOf, exitBefore, isRaising, lineOfFrame } from './raising-line.ts';

describe('fitOf', () => {
  it.each([
    ['/usr/lib/python3/site-packages/requests/utils.py', 'requests/src/requests/utils.py', true],
    ['/app/node_modules/axios/lib/x.js', 'axios/lib/x.js', true],
    ['/app/node_modules/left-pad/lib/x.js', 'axios/lib/x.js', false],
    ['/go/pkg/mod/github.com/gorilla/mux@v1.8.1/mux.go', 'mux/mux.go', true],
    ['/go/pkg/mod/github.com/example/cli/v3@v3.10.1/help.go', 'cli/help.go', true],
    ['/g/gems/jekyll-4.3/lib/jekyll/site.rb', 'jekyll/lib/jekyll/site.rb', true],
    ['com/google/gson/Gson.java', 'gson/gson/src/main/java/com/google/gson/Gson.java', true],
    ['/app/sync.py', 'other/src/sync.py', false],
  ])('compares %s with %s', (written, indexed, fits) => {
    expect(fitOf(written, indexed) > 0).toBe(fits);
  });
});

describe('the condition of a line', () => {
  it('is the branch around it, or the branch before it that returns', () => {
    const lines = [
      'f(x) {',
      '  if (x) {',
      '    return 1;',
      '  }',
      '  throw e;',
      '  if (y) {',
      '    throw g;',
      '  }',
      '}',
    ];
    expect(conditionOf(lines, 7, 1)).toEqual({ line: 6, text: 'if (y) {', isElse: false });
    expect(conditionOf(lines, 5, 1)).toBeUndefined();
    const other = ['f(x) {', '  if (x) {', '    a();', '  } else {', '    throw e;', '  }', '}'];
    expect(conditionOf(other, 5, 1)).toEqual({ line: 2, text: 'if (x) {', isElse: true });
    expect(exitBefore(lines, 5, 1)).toEqual({ line: 2, text: 'if (x) {' });
  });
});

describe('isRaising', () => {
  it.each([
    ['raise TypeError(', true],
    ['throw new \\LogicException($text);', true],
    ['} else throw e', true],
    ['return nil, fmt.Errorf("no %s", name)', true],
    ['return err', true],
    ['panic!("no")', true],
    ['reject(new AxiosError(', true],
    ['return obj !== Error.prototype;', false],
    ['if (!(a in b)) {', false],
    ['const error = last;', false],
    ['# We raise this later', false],
    ['console.error(text);', false],
    ['self.fail_count += 1', false],
  ])('of %s is %s', (text, raises) => {
    expect(isRaising(text)).toBe(raises);
  });
});

describe('lineOfFrame', () => {
  const frame = { path: 'a', line: 9, name: 'f', text: undefined };
  const find = (lines: readonly string[], trace: Partial<Parameters<typeof lineOfFrame>[3]>, one = {}) =>
    lineOfFrame(
      lines,
      { first: 1, last: lines.length },
      { ...frame, ...one },
      { message: undefined, errorType: undefined, inner: undefined, ...trace },
    )?.line;

  it('finds a message that the code joins of several texts', () => {
    const php = ['function f() {', "  throw new E('You cannot use '", "    .'it and that at once');", '}'];
    expect(find(php, { message: 'You cannot use it and that at once' })).toBe(2);
  });

  it('finds the only line that raises if the trace is of another version', () => {
    const java = [
      'void f() {',
      '  int p = peek();',
      '  if (p != 1) {',
      '    throw unexpected("B");',
      '  }',
      '}',
    ];
    expect(find(java, { message: 'Expected B' })).toBe(4);
    expect(find(['f() {', '  return a !== b;', '}'], { message: 'no' }, { line: 2 })).toBeUndefined();
    const other = ['f() {', '  g(a);', "  throw new TypeError('it is no list');", '}'];
    expect(find(other, { message: 'Cannot set it now', errorType: 'Error' })).toBeUndefined();
    const joined = ['f() {', '  throw new E(', '      "Class "', '          + " has many fields at"', ');'];
    expect(find(joined, { message: 'Class A has many fields at b' })).toBe(2);
  });

  it('finds the call of the next frame, not the line of another version', () => {
    const ruby = ['def f', '  t = now', '  g.run(self)', '  log', 'end'];
    expect(find(ruby, { inner: 'run' }, { line: 4 })).toBe(3);
  });

  it('finds the quoted line of an overload outside of the known span', () => {
    const lines = ['int f(a) {', '  return f(a, b);', '}', 'int f(a, b) {', '  throw e;', '}'];
    const at = lineOfFrame(
      lines,
      { first: 1, last: 3 },
      { ...frame, line: 4, text: 'throw e;' },
      { message: undefined, errorType: undefined, inner: undefined },
    );
    expect(at?.line).toBe(5);
  });
});
