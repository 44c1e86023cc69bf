import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../test/support/silent-log.ts';
import type { ParseResult, SourceText } from '../outline.ts';
import { maxFileBytes } from '../outline.ts';
import { ParseBudget } from './parse-budget.ts';
import { ParseQueue, type ParseQueueDeps } from './parse-queue.ts';

const { signal } = new AbortController();
let queue: ParseQueue;

function openQueue(deps: Partial<ParseQueueDeps> = {}): ParseQueue {
  return new ParseQueue({ log: silentLog, ...deps });
}

/**
 * A queue whose thread answers each file, but hangs in `hang` and exits in `exit`. It says that `costly` took a second
 * of processor time and any other file a millisecond.
 */
function standInQueue(deps: Partial<ParseQueueDeps> = {}): ParseQueue {
  const source = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ path }) => {
      parentPort.postMessage('started');
      if (path === 'hang') for (;;);
      if (path === 'exit') process.exit(1);
      if (path === 'throw') throw new Error('thrown');
      const extracted = JSON.stringify({ symbols: [], imports: [], calls: [], references: [] });
      parentPort.postMessage({ extracted, usedMs: path === 'costly' ? 1_000 : 1 });
    });`;
  return openQueue({ ...deps, entry: new URL(`data:text/javascript,${encodeURIComponent(source)}`) });
}

function go(path: string, text = 'package a\n\nfunc f() {\n\tg()\n}\n'): SourceText {
  return { path, language: 'Go', text };
}

/** Returns `path: calls` of a parsed file, and `path: reason` of a failed one. */
function outcomes(results: readonly ParseResult[]): string[] {
  return results.map((result) =>
    'failed' in result
      ? `${result.path}: ${result.failed}`
      : `${result.path}: ${result.calls.map(({ name }) => name).join(' ')}`,
  );
}

beforeAll(() => {
  queue = openQueue();
});
afterAll(async () => {
  await queue.close();
});

it('returns short names for definitions that are nested thousands deep', async () => {
  const depth = 5_000;
  const open = Array.from({ length: depth }, (_, number) => `function f${number}() {\n`);
  const text = `${open.join('')}${'}'.repeat(depth)}\n`;
  const [parsed] = await queue.parseFiles([{ path: 'a.js', language: 'JavaScript', text }], signal);
  if (parsed === undefined || 'failed' in parsed) throw new Error('not parsed');
  const names = parsed.symbols.map(({ qualifiedName }) => qualifiedName);
  expect(names).toHaveLength(depth);
  expect(names[2]).toBe('f0.f1.f2');
  expect(Math.max(...names.map((name) => name.length))).toBeLessThan(1_000);
});

describe('a file costs only itself', () => {
  it('if it has 50,000 definitions', async () => {
    const names = Array.from({ length: 50_000 }, (_, number) => `var v${number} int\n`);
    const results = await queue.parseFiles(
      [go('many.go', `package a\n${names.join('')}`), go('a.go')],
      signal,
    );
    expect(outcomes(results)).toEqual(['many.go: too_many_names', 'a.go: g']);
  });

  it('if it uses more names than a person writes', async () => {
    const many = go('many.go', `package a\n\nfunc f() {\n${'g();'.repeat(101)}\n}\n`);
    const strict = openQueue({ maxMatches: 100 });
    expect(outcomes(await strict.parseFiles([many, go('a.go')], signal))).toEqual([
      'many.go: too_many_names',
      'a.go: g',
    ]);
    await strict.close();
  });

  it('if it is larger than an indexed file, counted in bytes', async () => {
    const large = go('large.go', `// ${'é'.repeat(maxFileBytes / 2)}`);
    expect(outcomes(await queue.parseFiles([large, go('a.go')], signal))).toEqual([
      'large.go: too_large',
      'a.go: g',
    ]);
  });

  it('if there is no grammar of its language', async () => {
    const files = ['Markdown', 'constructor'].map((language) => ({ path: language, language, text: 'f()' }));
    expect(outcomes(await queue.parseFiles(files, signal))).toEqual([
      'Markdown: unsupported',
      'constructor: unsupported',
    ]);
  });

  it('if its grammar crashes for lack of memory', async () => {
    // The runtime starts with 512 pages; the tree of this text needs more.
    const small = openQueue({ maxPages: 514 });
    const nested = go('nested.go', `package a\n\nvar v = ${'(1+1)*'.repeat(60_000)}1\n`);
    const results = await small.parseFiles([go('a.go'), nested, go('b.go')], signal);
    expect(outcomes(results)).toEqual(['a.go: g', 'nested.go: crashed', 'b.go: g']);
    await small.close();
  });

  it.each(['exit', 'throw'])('if its thread ends: %s', async (path) => {
    const broken = standInQueue({});
    const files = [go('a'), go(path), go('b'), go(path), go('c')];
    expect(outcomes(await broken.parseFiles(files, signal))).toEqual([
      'a: ',
      `${path}: crashed`,
      'b: ',
      `${path}: crashed`,
      'c: ',
    ]);
    await broken.close();
  });

  it('if its thread hangs', async () => {
    const hanging = standInQueue({});
    const budget = new ParseBudget({ perFile: 50 });
    expect(outcomes(await hanging.parseFiles([go('hang'), go('b')], signal, budget))).toEqual([
      'hang: too_slow',
      'b: ',
    ]);
    await hanging.close();
  });

  it('if its grammar takes far longer than for other code of its size', async () => {
    const deep = { path: 'deep.js', language: 'JavaScript', text: `x=${'('.repeat(30_000)}` };
    const budget = new ParseBudget({ perFile: 50 });
    const results = await queue.parseFiles([deep, go('b.go')], signal, budget);
    expect(outcomes(results)).toEqual(['deep.js: too_slow', 'b.go: g']);
  });
});

describe('the budget of several calls', () => {
  it('leaves out files once hanging ones have used it up', async () => {
    const hanging = standInQueue({});
    const budget = new ParseBudget({ perFile: 50, total: 60 });
    const first = await hanging.parseFiles([go('hang'), go('a')], signal, budget);
    expect(outcomes(first)).toEqual(['hang: too_slow', 'a: ']);
    // The second file is handed over with the first one.
    const second = await hanging.parseFiles([go('hang'), go('b'), go('hang'), go('c')], signal, budget);
    expect(outcomes(second)).toEqual(['hang: too_slow', 'b: ', 'hang: budget', 'c: budget']);
    expect(outcomes(await hanging.parseFiles([go('c')], signal))).toEqual(['c: ']);
    await hanging.close();
  });
});

describe('the processor time of a file that was parsed', () => {
  /** Its nesting takes many times the processor time of other code of its size, but less than its limit. */
  const nested = (path: string): SourceText => ({
    path,
    language: 'C#',
    text: `// ${path}\n${'a<(b,'.repeat(3_000)}`,
  });

  it('counts against the budget if it is more than code of its size takes', async () => {
    const paths = ['1.cs', '2.cs', '3.cs', '4.cs'];
    const results = await queue.parseFiles(paths.map(nested), signal, new ParseBudget({ total: 1 }));
    // The second file is handed over with the first one.
    expect(outcomes(results).map((outcome) => outcome.includes('budget'))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('costs nothing for usual code', async () => {
    const budget = new ParseBudget({ total: 1_000 });
    const files = Array.from({ length: 200 }, (_, index) => go(`${index}.go`));
    expect(outcomes(await queue.parseFiles(files, signal, budget))).not.toContain('199.go: budget');
  });
});

describe('callers at the same time', () => {
  interface Caller {
    /** Number of files that were handed over. */
    readonly begun: () => number;
    readonly parse: (path: string, count: number) => Promise<unknown>;
  }

  async function withCallers(work: (first: Caller, second: Caller) => Promise<void>): Promise<void> {
    const begun = { first: 0, second: 0 };
    const shared = standInQueue();
    /** A file whose text is read once, when it is handed over. */
    const counted = (path: string, name: keyof typeof begun): SourceText => ({
      path,
      language: 'Go',
      get text() {
        begun[name] += 1;
        return name;
      },
    });
    const caller = (name: keyof typeof begun): Caller => {
      const budget = new ParseBudget({ total: 1e9 });
      return {
        begun: () => begun[name],
        parse: (path, count) =>
          shared.parseFiles(
            Array.from({ length: count }, () => counted(path, name)),
            signal,
            budget,
          ),
      };
    };
    await work(caller('first'), caller('second'));
    await shared.close();
  }

  it('share the processor time of the thread, not the number of files', async () => {
    await withCallers(async (hostile, usual) => {
      const attack = hostile.parse('costly', 100);
      await usual.parse('usual', 60);
      expect(hostile.begun()).toBeLessThan(6);
      await attack;
    });
  });

  it('do not wait for those that come later', async () => {
    await withCallers(async (large, later) => {
      await large.parse('costly', 10);
      const rest = large.parse('usual', 60);
      await later.parse('usual', 60);
      expect(large.begun()).toBeGreaterThan(10 + 40);
      await rest;
    });
  });
});

describe('a text that is not code', () => {
  it.each(['\0\0\0', '((((((((', '}'.repeat(1000), 'func 大きさ() { größe() }', '\ud800'])(
    'is parsed: %j',
    async (text) => {
      const [result] = await queue.parseFiles([go('odd.go', text)], signal);
      expect(result).toMatchObject({ path: 'odd.go', language: 'Go' });
    },
  );
});

describe('a queue of files', () => {
  it('returns the results in the order of the files, from several callers at once', async () => {
    const files = Array.from({ length: 20 }, (_, number) => go(`${number}.go`));
    const paths = files.map(({ path }) => `${path}: g`);
    const shared = openQueue();
    const all = await Promise.all([shared.parseFiles(files, signal), shared.parseFiles(files, signal)]);
    expect(all.map(outcomes)).toEqual([paths, paths]);
    await shared.close();
  });

  it('stops between files when its caller aborts', async () => {
    const gone = new AbortController();
    const parsing = queue.parseFiles([go('a.go'), go('b.go'), go('c.go')], gone.signal);
    gone.abort(new Error('gone'));
    await expect(parsing).rejects.toThrow('gone');
    expect(outcomes(await queue.parseFiles([go('c.go')], signal))).toEqual(['c.go: g']);
  });

  it('refuses files once closed, also those in progress', async () => {
    const closing = standInQueue({});
    const stuck = closing.parseFiles([go('hang'), go('b')], signal);
    stuck.catch(() => undefined);
    await closing.close();
    await expect(stuck).rejects.toThrow('shutting down');
    await expect(closing.parseFiles([go('a')], signal)).rejects.toThrow('shutting down');
  });
});
