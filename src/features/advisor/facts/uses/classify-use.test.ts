import { describe, expect, it } from 'vitest';
import { classifyUse, columnsOf } from './classify-use.ts';

const kindIn = (line: string, name: string): string =>
  classifyUse(line, columnsOf(line, name)[0] ?? -1, name).kind;

describe('classifyUse', () => {
  it.each([
    // A look-up by name, in the languages that people ask about.
    ['read', 'if not crawler.settings.getbool("MAX_SIZE"):', 'MAX_SIZE'],
    ['read', "const size = process.env['MAX_SIZE'];", 'MAX_SIZE'],
    ['read', 'size := os.Getenv("MAX_SIZE")', 'MAX_SIZE'],
    ['read', 'let size = env::var("MAX_SIZE")?;', 'MAX_SIZE'],
    ['read', 'String size = System.getenv("MAX_SIZE");', 'MAX_SIZE'],
    ['read', '  "app.retry.RetryPolicy": 550,', 'RetryPolicy'],
    ['text', 'fail("no app.retry.RetryPolicy was given")', 'RetryPolicy'],
    ['read', 'return options.maxSize ?? 10;', 'maxSize'],
    ['read', 'if !cmd.maxSize && !c.silent {', 'maxSize'],
    ['read', 'if (size == maxSize) {', 'maxSize'],
    ['read', 'const text = `at most ${maxSize} bytes`;', 'maxSize'],
    ['read', 'print(f"at most {self.max_size} bytes")', 'max_size'],
    // A declaration.
    ['definition', 'MAX_SIZE = 10', 'MAX_SIZE'],
    ['definition', 'export const MAX_SIZE = 10;', 'MAX_SIZE'],
    ['definition', 'public static final int MAX_SIZE = 10;', 'MAX_SIZE'],
    ['definition', 'pub const MAX_SIZE: usize = 10;', 'MAX_SIZE'],
    ['definition', 'func (c *Cache) maxSize() int {', 'maxSize'],
    ['definition', 'def max_size(self):', 'max_size'],
    ['definition', '  readonly maxSize: number;', 'maxSize'],
    ['definition', '#define MAX_SIZE 10', 'MAX_SIZE'],
    // A value given elsewhere.
    ['set', 'self.max_size = 10', 'max_size'],
    ['set', 'maxSize += 1', 'maxSize'],
    ['set', 'yield Request(url, max_size=10)', 'max_size'],
    ['set', '            max_size=10,', 'max_size'],
    ['set', 'open({ maxSize: 10 })', 'maxSize'],
    ['set', 'kwargs["max_size"] = 10', 'max_size'],
    ['set', 'kwargs.setdefault("max_size", 10)', 'max_size'],
    ['set', 'os.Setenv("MAX_SIZE", "10")', 'MAX_SIZE'],
    ['set', '{"max_size": 10}', 'max_size'],
    // Lines that only name it.
    ['import', "import { maxSize } from './limits.ts';", 'maxSize'],
    ['import', 'from limits import max_size', 'max_size'],
    ['import', '    "MAX_SIZE",', 'MAX_SIZE'],
    ['text', '// maxSize is a limit', 'maxSize'],
    ['text', ' * The maxSize of a file', 'maxSize'],
    ['text', 'open(); // unlike maxSize', 'maxSize'],
    ['text', 'open(); /* unlike */ /* maxSize */', 'maxSize'],
    ['read', 'open(/* unlike */ maxSize)', 'maxSize'],
    ['read', String.raw`log('it\'s', maxSize)`, 'maxSize'],
    ['text', String.raw`log('it\'s maxSize')`, 'maxSize'],
    ['text', 'throw new Error("Set MAX_SIZE to a number.");', 'MAX_SIZE'],
    ['text', 'enable this part and change the MAX_SIZE setting.', 'MAX_SIZE'],
  ])('%s: %s', (kind, line, name) => {
    expect(kindIn(line, name)).toBe(kind);
  });

  it.each([
    ['if request.skip and seen(request):', true],
    ['assert request.skip', false],
    ['    assert_eq!(None, args.skip);', false],
    ['return request.skip ? 1 : 2', true],
    ['send(request.skip)', false],
  ])('knows whether a line decides something: %s', (line, isCheck) => {
    expect(classifyUse(line, line.indexOf('skip'), 'skip').isCheck).toBe(isCheck);
  });

  it('judges a long line without backtracking', () => {
    const line = `${'a '.repeat(20_000)}maxSize${' ='.repeat(20_000)}`;
    const started = performance.now();
    classifyUse(line, 40_000, 'maxSize');
    classifyUse(`${'"\\'.repeat(400)}maxSize`, 800, 'maxSize');
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it.each([
    ['spaces after a word', `x${' '.repeat(380)}y maxSize`],
    ['spaces after a type', `(maxSize:${' '.repeat(380)})`],
    ['comments', `x${' /*'.repeat(60)}*/${'x'.repeat(150)} maxSize`],
    ['strings without an end', `${String.raw`\"`.repeat(190)} maxSize`],
    ['placeholders', `"${'{'.repeat(380)}}maxSize`],
  ])('judges many lines of %s', (_, line) => {
    const column = line.indexOf('maxSize');
    const started = performance.now();
    for (let at = 0; at < 4000; at++) classifyUse(line, column, 'maxSize');
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('columnsOf', () => {
  it('finds whole words only', () => {
    expect(columnsOf('max(maxSize, size, $size, size_t, size)', 'size')).toEqual([13, 34]);
  });
});
