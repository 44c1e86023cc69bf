import { describe, expect, it } from 'vitest';
import type { RankedDefinition, RankedFile, SymbolKind } from '../../../../backends/codesearch/port.ts';
import { definitionExtents } from '../../../../backends/codesearch/spans/definition-extents.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { rankDefinitions } from './rank-definitions.ts';

type Extent = readonly [name: string, kind: SymbolKind, startLine: number, endLine: number, doc?: number];

function file(path: string, text: string, extents: readonly Extent[], score = 1): RankedFile {
  const lines = text.split('\n');
  const named = extents.map(([name, kind, startLine]) => {
    const line = lines.findIndex((one, at) => at + 1 >= startLine && one.includes(name)) + 1;
    return { name, kind, line };
  });
  const read = definitionExtents(lines, named);
  const definitions = extents.map(([, , startLine, endLine, doc], at): RankedDefinition => {
    const { doc: _doc, ...known } = read[at] as RankedDefinition;
    const extent = { ...known, startLine, endLine };
    return doc === undefined ? extent : { ...extent, doc: { startLine: doc, endLine: doc } };
  });
  return {
    repository: 'r' as RepositoryId,
    commit: 'c',
    path,
    language: 'TypeScript',
    fileClass: 'source',
    score,
    reasons: [],
    spans: [{ startLine: 1, endLine: lines.length, score: 1, text }],
    definitions,
  };
}

const asking = (terms: readonly string[], asksForBehaviour = true) => ({
  terms,
  context: [],
  names: [],
  asksForBehaviour,
  asksForTests: false,
});

const ranked = async (files: readonly RankedFile[], terms: readonly string[], asksForBehaviour = true) =>
  (await rankDefinitions(files, asking(terms, asksForBehaviour))).map(({ definition, container }) =>
    container === undefined ? definition.name : `${container}.${definition.name}`,
  );

const throttle = file(
  'throttle.py',
  `class Throttle:
    def opened(self):
        self.delay = 1
    def adjust(self, slot):
        new_delay = slot.delay / 2
        slot.delay = new_delay
    def slots(self):
        return []`,
  [
    ['Throttle', 'class', 1, 8],
    ['opened', 'method', 2, 3],
    ['adjust', 'method', 4, 6],
    ['slots', 'method', 7, 8],
  ],
);

describe('rankDefinitions', () => {
  it.each([
    ['src/throttle.test.ts', 'throttle'],
    ['src/throttle/index.js', 'throttle'],
    ['.throttle.js', 'throttle'],
    ['src/some-throttle.tools.v2.ts', 'throttle'],
  ])('gives an export without a name the name of the file %s', async (path, term) => {
    const [named, other] = [path, 'src/other.ts'].map((each) =>
      file(each, 'export default () => {\n  run();\n};', [['default', 'function', 1, 3]]),
    );
    const [best] = await rankDefinitions([other!, named!], asking([term]));
    expect(best?.file.path).toBe(path);
  });

  it.each(['.a', 'a.', 'a', '-', ' '])(
    'takes little time for a folder name of 3,800 characters, such as %j again and again',
    async (part) => {
      const folder = part.repeat(3_800 / part.length);
      const files = ['-.ts', 'index.ts', `${folder}.ts`].map((name) =>
        file(`${folder}/${name}`, 'export default 1;', [['default', 'constant', 1, 1]]),
      );
      const started = process.cpuUsage();
      await rankDefinitions(files, asking(['throttle']));
      const { user, system } = process.cpuUsage(started);
      expect((user + system) / 1000).toBeLessThan(1_000);
    },
  );

  it('prefers the product to scripts of the repository, unless scripts are asked for', async () => {
    const text = `function renderReleases() {
  return fetchReleases();
}`;
    const extents: readonly Extent[] = [['renderReleases', 'function', 1, 3]];
    const script = file('scripts/render.ts', text.replaceAll('Releases', 'ReleaseList'), [
      ['renderReleaseList', 'function', 1, 3],
    ]);
    const product = file('src/page.ts', text, extents, 0.8);
    expect((await ranked([script, product], ['render']))[0]).toBe('renderReleases');
    expect((await ranked([script, product], ['render', 'list', 'script']))[0]).toBe('renderReleaseList');
  });

  it('prefers the function that is named like the question to one that mentions its words', async () => {
    const text = `func SetProxies() {
  client = ip(client, ip, client)
}
func ClientIP() {
  forwarded := trusted()
  return forwarded
}`;
    const extents: readonly Extent[] = [
      ['SetProxies', 'function', 1, 3],
      ['ClientIP', 'function', 4, 7],
    ];
    expect((await ranked([file('proxy.go', text, extents)], ['ip', 'client']))[0]).toBe('ClientIP');
  });

  it('ranks a function that only stores an option below the one that does the work', async () => {
    const text = `func (r *Router) SkipClean(path bool) *Router {
  r.skipClean = path
  return r
}
func cleanPath(p string) string {
  np := path.Clean(p)
  if slashes(np) {
    return np
  }
  return p
}`;
    const extents: readonly Extent[] = [
      ['SkipClean', 'method', 1, 4],
      ['cleanPath', 'function', 5, 11],
    ];
    const terms = ['slashes', 'path', 'cleaned'];
    expect((await ranked([file('mux.go', text, extents)], terms, false))[0]).toBe('cleanPath');
  });

  it('names a default export after its file, and puts declarations after the code', async () => {
    const fetch = file('fetch.js', 'export default (config) => {\n  send(config);\n}', [
      ['default', 'function', 1, 3],
    ]);
    const declared = file('index.d.ts', 'export function fetch(): void;', [['fetch', 'function', 1, 1]]);
    expect(await ranked([declared, fetch], ['fetch'])).toEqual(['default', 'fetch']);
  });

  it('prefers the method that holds the words of the question to its class', async () => {
    expect((await ranked([throttle], ['throttle', 'compute', 'delay']))[0]).toBe('Throttle.adjust');
  });

  const jobs = file(
    'jobs.ts',
    `/** Options of a worker: when its jobs are taken back after it was killed. */
export interface WorkerOptions {}
/** Takes back the jobs of a worker that was killed. */
export function reapLeases() {}`,
    [
      ['WorkerOptions', 'interface', 1, 2, 1],
      ['reapLeases', 'function', 3, 4, 3],
    ],
  );

  it('prefers a function to a type if the question asks for behaviour, and reads comments', async () => {
    expect((await ranked([jobs], ['job', 'worker', 'killed']))[0]).toBe('reapLeases');
    expect((await ranked([jobs], ['options', 'worker'], false))[0]).toBe('WorkerOptions');
  });

  it('takes a constant that holds a function for one', async () => {
    const middleware = file(
      'jwt.ts',
      'type Token = string;\nconst check = (\n  token: string,\n) => {\n  verify(token);\n}',
      [
        ['Token', 'type', 1, 1],
        ['check', 'constant', 2, 6],
      ],
    );
    const [first] = await rankDefinitions([middleware], {
      terms: ['token'],
      context: [],
      names: [],
      asksForBehaviour: true,
      asksForTests: false,
    });
    expect(first).toMatchObject({ isFunction: true, definition: { name: 'check' } });
  });

  it('ranks a constructor and a member of an interface below what does the work', async () => {
    const reader = file(
      'reader.ts',
      `interface Reader {
  verify(hook: Hook): void;
}
class HookReader {
  constructor(hook: Hook) {
    this.hook = hook;
  }
  check(hook: Hook) {
    return hook.size;
  }
}`,
      [
        ['Reader', 'interface', 1, 3],
        ['verify', 'method', 2, 2],
        ['HookReader', 'class', 4, 11],
        ['constructor', 'method', 5, 7],
        ['check', 'method', 8, 10],
      ],
    );
    expect((await ranked([reader], ['hook']))[0]).toBe('HookReader.check');
    expect((await ranked([reader], ['verify', 'hook'])).indexOf('Reader.verify')).toBeGreaterThan(0);
  });

  it('ranks a list of words below the function that does it', async () => {
    const words = file(
      'words.ts',
      "export const groups = [\n  'recover job worker',\n  'worker killed job',\n];",
      [['groups', 'constant', 1, 4]],
    );
    const jobsAsked = ['worker', 'recover', 'job', 'killed'];
    expect((await ranked([words, jobs], jobsAsked))[0]).toBe('reapLeases');
    expect((await ranked([words, jobs], jobsAsked, false))[0]).toBe('reapLeases');
  });

  it('ranks what returns a setting or declares flags below what does the work', async () => {
    const split = file(
      'split.go',
      `func (o *Overrides) QuerySplitInterval() Interval {
  return o.querySplitInterval
}
func (c *Config) RegisterFlags() {
  flag(c.query, "query split interval")
  flag(c.split, "split the query")
  flag(c.interval, "the interval")
}
func splitQueries(query Query, interval Interval) []Query {
  parts := query.split(interval)
  for i := range parts {
    parts[i].end = parts[i].start + interval
  }
  return parts
}`,
      [
        ['QuerySplitInterval', 'method', 1, 3],
        ['RegisterFlags', 'method', 4, 8],
        ['splitQueries', 'function', 9, 15],
      ],
    );
    expect((await ranked([split], ['query', 'split', 'interval']))[0]).toBe('splitQueries');
  });

  it('knows the type of a method in Go', async () => {
    const command = file('command.go', 'func (c *Command) Find() error {\n\treturn c.find()\n}', [
      ['Find', 'method', 1, 3],
    ]);
    expect(await ranked([command], ['find'])).toEqual(['Command.Find']);
  });

  it('ranks a test below what it tests, unless the question asks for tests', async () => {
    const json = file(
      'json.rs',
      `fn check_type() {
    check();
}
mod tests {
    #[test]
    fn wrong_type() {
        check("wrong type");
    }
}`,
      [
        ['check_type', 'function', 1, 3],
        ['tests', 'module', 4, 9],
        ['wrong_type', 'function', 5, 8],
      ],
    );
    const question = { terms: ['wrong', 'type'], context: [], names: [], asksForBehaviour: true };
    const first = async (asksForTests: boolean) =>
      (await rankDefinitions([json], { ...question, asksForTests }))[0]?.definition.name;
    expect([await first(false), await first(true)]).toEqual(['check_type', 'wrong_type']);
  });

  it('counts a manual with samples less than the first lines of a comment', async () => {
    const repeated = (count: number, line: string) => Array.from({ length: count }, () => line);
    const manual = [
      ...repeated(6, '/// Reads captures.'),
      ...repeated(8, '/// decode(url) decodes the url.'),
    ];
    const text = [...manual, 'class Path {}', '/// Decodes the url.', 'fn insert() { url(); }'].join('\n');
    const path = file('path.rs', text, [
      ['Path', 'class', 1, 15],
      ['insert', 'function', 16, 17],
    ]);
    const documented = path.definitions.map((one, at) => ({
      ...one,
      line: at === 0 ? 15 : 17,
      doc: at === 0 ? { startLine: 1, endLine: 14 } : { startLine: 16, endLine: 16 },
    }));
    const [first] = await ranked([{ ...path, definitions: documented }], ['decode', 'url'], false);
    expect(first).toBe('insert');
  });

  it('finds a function by a word that code uses instead of that of the question', async () => {
    const queue = file('queue.ts', 'export function requeue() {}\nexport function rename() {}', [
      ['requeue', 'function', 1, 1],
      ['rename', 'function', 2, 2],
    ]);
    expect(await ranked([queue], ['recover'])).toEqual(['requeue']);
  });

  it('weighs definitions by the score of their file', async () => {
    const text = 'export function open() {}';
    const files = [
      file('a.ts', text, [['open', 'function', 1, 1]], 1),
      file('b.ts', text, [['open', 'function', 1, 1]], 3),
    ];
    const question = { terms: ['open'], context: [], names: [], asksForBehaviour: true, asksForTests: false };
    const [first] = await rankDefinitions(files, question);
    expect(first?.file.path).toBe('b.ts');
  });

  it('counts the lines of a function for the functions around it, and not for the class', async () => {
    const nested = file(
      'nested.ts',
      'class Outer {\n  run() {\n    const inner = () => {\n      parse();\n    };\n  }\n}\nfunction other() {}',
      [
        ['Outer', 'class', 1, 7],
        ['run', 'method', 2, 6],
        ['inner', 'constant', 3, 5],
        ['other', 'function', 8, 8],
      ],
    );
    expect(new Set(await ranked([nested], ['parse']))).toEqual(new Set(['Outer.run', 'Outer.inner']));
  });

  it.each(['function', 'class'] as const)('reads a file of 4000 of kind %s without an end', async (kind) => {
    const lines = Array.from({ length: 4000 }, (_, at) => `${kind} part${at} { parse(item)`);
    const open = file(
      'open.ts',
      lines.join('\n'),
      lines.map((_, at) => [`part${at} `, kind, at + 1, lines.length]),
    );
    const started = performance.now();
    await ranked([open], ['parse', 'item']);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('lets other requests go on while it reads a large file', async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `    const anchor${at % 700} = raiseAnchor(ferry, ${at});`,
    );
    const definitions = Array.from({ length: 2000 }, (_, at): RankedDefinition => {
      const line = at * 10 + 1;
      return { name: `anchor${at}`, kind: 'function', line, startLine: line, endLine: line + 9 };
    });
    const large = { ...file('large.ts', lines.join('\n'), []), definitions };
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const started = process.cpuUsage();
    await ranked([large], ['anchor']);
    const { user, system } = process.cpuUsage(started);
    isOver = true;
    expect((user + system) / 1000 / turns).toBeLessThan(50);
  });
});
