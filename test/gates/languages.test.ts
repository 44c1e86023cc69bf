import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceLanguages } from '../../src/backends/languages/port.ts';
import { projectRoot } from '../support/run/gates.ts';

/** Formats of data, which any part may name. */
const dataFormats = new Set([
  'GraphQL',
  'HCL',
  'SQL',
  'PLpgSQL',
  'Protocol Buffer',
  'Thrift',
  'Jupyter Notebook',
]);

/** Files that may name some: they load files of this program, or show an example of a query. */
const allowed: ReadonlySet<string> = new Set([
  'backends/codesearch/embedded/thread/start-thread.ts',
  'features/identity/sign-in/password-worker.ts',
  'features/search/query/filters.ts',
  'features/search/query/path-glob.ts',
  'surfaces/http/api-reference/scalar-script.ts',
  'surfaces/pages/search/search-help.ts',
]);

/** Files that still know languages of their own. The list may only become shorter. */
const exempt: ReadonlySet<string> = new Set([
  'features/advisor/question/prompt/read-trace.ts',
  'surfaces/pages/files/colours/syntax.ts',
]);

const known = [...sourceLanguages.values()].filter(({ name }) => !dataFormats.has(name));
/** Names of one letter are too common to be judged. */
const names = new Set(known.map(({ name }) => name).filter((name) => name.length > 1));
const endings = known
  .flatMap(({ endings: words }) => words?.split(' ') ?? [])
  .filter((ending) => /^[a-z]\w+$/.test(ending))
  .join('|');
/** An ending in a text (`'.py'`, `'/__init__.py'`) or a pattern (`\.py`). */
const namesEnding = new RegExp(String.raw`\.(?:${endings})['"\`]|\\\.(?:\(\?:)?(?:${endings})\b`);

/** The name of a module of this program, as an import has it. */
const moduleName = /'\.{0,2}[\w./-]+\.[jt]s'/g;

/** Returns the lines that name a language or an ending of one. */
function linesNaming(text: string): string[] {
  return text.split('\n').filter((written) => {
    if (/^\s*(?:\/?\*|\/\/)/.test(written)) return false;
    const line = written.replaceAll(moduleName, '');
    const quoted = [...line.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, one, other]) => one ?? other ?? '');
    return quoted.some((each) => names.has(each)) || namesEnding.test(line);
  });
}

describe('outside of the room of the languages', () => {
  const root = join(projectRoot, 'src');
  const naming = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('backends/languages/'))
    .filter((path) => !allowed.has(path))
    .flatMap((path) => linesNaming(readFileSync(join(root, path), 'utf8')).map((line) => ({ path, line })));

  it('nothing else names a programming language or an ending of its files', () => {
    expect(naming.filter(({ path }) => !exempt.has(path))).toEqual([]);
  });

  it('every exempt file names one', () => {
    expect(new Set(naming.map(({ path }) => path))).toEqual(exempt);
  });

  it.each([
    "if (language === 'Python') return 1;",
    "return path.endsWith('.rs');",
    String.raw`const test = /_test\.go$/;`,
    "join(root, '__init__.py')",
  ])('a line such as %s is found', (line) => {
    expect(linesNaming(line)).toEqual([line]);
  });

  it.each([
    "import { go } from './go.ts';",
    "const format = 'JSON';",
    "load: async () => (await import('./ask.ts')).askCommand,",
    "// Go and 'Python' are named in a comment.",
    "import.meta.url.endsWith('mts')",
  ])('a line such as %s is not', (line) => {
    expect(linesNaming(line)).toEqual([]);
  });
});
