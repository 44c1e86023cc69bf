import { expect, it } from 'vitest';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import { type Definition, type FileClass, noPassages, type RankRequest } from '../port.ts';
import { type FileOfPassages, filesToRead, rankedPassages } from './ranked-passages.ts';

const repository = 'repository' as RepositoryId;

function file(
  path: string,
  text: string,
  definitions: readonly (readonly [string, Definition['kind'], number])[] = [],
  more: { readonly language?: string; readonly fileClass?: FileClass; readonly score?: number } = {},
): FileOfPassages {
  const { language = 'TypeScript', fileClass = 'source', score = 1 } = more;
  return {
    file: { repository, commit: 'c0ffee', path, language, fileClass, score, reasons: [] },
    share: score,
    text: Buffer.from(text),
    definitions: definitions.map(([name, kind, line]) => ({ name, kind, line })),
  };
}

function rank(
  question: string,
  files: readonly FileOfPassages[],
  more: Partial<RankRequest> = {},
  shouldStop = () => false,
) {
  const request = { terms: [], identifiers: [], paths: [], limit: 10, waitMs: 0, ...more, question };
  return rankedPassages(
    filesToRead(files, request, ({ file: one, text }) => ({ ...one, bytes: text.length })),
    request,
    shouldStop,
  );
}

function named(result: ReturnType<typeof rank>): string[] {
  return result.best.map(({ definition, startLine }) => definition?.name ?? `line ${startLine}`);
}

const lease = `import { clock } from './clock.ts';

/** Renews leases. */
export class Renewer {
  readonly #limit = 3;

  /** Ends the process that holds a lost lease. */
  stopHolder(pid: number): void {
    if (pid > 0) this.kill(pid);
    this.report('stopped');
  }

  renewAll(now: number): void {
    for (const each of this.all) if (each.until < now) each.renew(now);
    this.report('renewed');
  }
}

clock.every(1000, () => start('nightly cleanup'));
`;
const leaseFile = file('src/jobs/renewer.ts', lease, [
  ['Renewer', 'class', 4],
  ['#limit', 'field', 5],
  ['stopHolder', 'method', 8],
  ['renewAll', 'method', 13],
]);

it('finds a definition by the stems of its comment, name and code', () => {
  const { best } = rank('How is the holding process of a lease ended?', [leaseFile]);
  expect(best[0]).toMatchObject({
    path: 'src/jobs/renewer.ts',
    definition: { name: 'stopHolder' },
    containers: ['Renewer'],
    startLine: 7,
    endLine: 11,
  });
  expect(best[0]!.lines.map(({ text }) => text)).toEqual(lease.split('\n').slice(6, 11));
});

it('answers with top-level code that no definition contains', () => {
  expect(named(rank('When does the nightly cleanup start?', [leaseFile]))[0]).toBe('line 19');
});

it('answers with sections of documents and blocks of configuration', () => {
  const manual = file('docs/manual.md', '# Setup\n\nText.\n\n# Rotation\n\nKeys rotate weekly.\n', [], {
    language: 'Markdown',
    fileClass: 'docs',
  });
  const settings = file('deploy.yaml', 'replicas: 2\n\nrotation:\n  cron: weekly keys\n', [], {
    language: 'YAML',
    fileClass: 'data',
  });
  const { best } = rank('How are keys rotated weekly?', [manual, settings]);
  expect(best.map(({ path }) => path).toSorted()).toEqual(['deploy.yaml', 'docs/manual.md']);
});

it('keeps short values of a type with the type', () => {
  expect(named(rank('What is the limit?', [leaseFile]))).toEqual(['Renewer']);
});

it('counts each line for the innermost definition only', () => {
  expect(named(rank('report stopped', [leaseFile]))[0]).toBe('stopHolder');
  expect(named(rank('report stopped', [leaseFile]))).not.toContain('Renewer');
});

const constant = file('limits.ts', 'export const maxRetries = 5;\n', [['maxRetries', 'constant', 1]]);
const retry = file(
  'limits.ts',
  'export function send(max: number): void {\n  const retries = max;\n  post(retries);\n  log();\n}\n',
  [['send', 'function', 1]],
);

it.each(['How many max retries?', 'Where are max retries set?'])(
  'ranks a constant by its words: %s',
  (question) => {
    expect(named(rank(question, [constant, retry]))[0]).toBe('maxRetries');
  },
);

it('ranks by size, but not for a question for a value', () => {
  const send = (lines: number): FileOfPassages =>
    file(
      `${lines}.ts`,
      `function send(max: number): void {\n  post(max.retries);\n${'  log();\n'.repeat(lines)}}\n`,
      [['send', 'function', 1]],
    );
  /** Returns by how many points the longer function is ahead. */
  const lead = (question: string): number => {
    const { best } = rank(question, [send(1), send(40)]);
    const [short = 0, long = 0] = ['1.ts', '40.ts'].map(
      (path) => best.find((one) => one.path === path)?.score,
    );
    return long - short;
  };
  const ofValue = lead('How many max retries by default?');
  expect(lead('How long does it wait for max retries?')).toBeGreaterThan(0.5 + ofValue);
});

it('counts a sync and an async form as one, with both places', () => {
  const body = (prefix: string): string =>
    `class Pool:\n    ${prefix}def close_idle(self):\n        for connection in self.idle:\n            connection.close()\n`;
  const definitions = [
    ['Pool', 'class', 1],
    ['close_idle', 'method', 2],
  ] as const;
  const forms = [
    file('_sync/pool.py', body(''), definitions, { language: 'Python' }),
    file('_async/pool.py', body('async '), definitions, { language: 'Python' }),
    file(
      'other/pool.py',
      body('').replace('self.idle', 'every(open, self, now)').replace('close()', 'mark(shut, gone, why)'),
      definitions,
      { language: 'Python' },
    ),
  ];
  const { best } = rank('Where are idle connections closed?', forms);
  expect(best.filter(({ definition }) => definition?.name === 'close_idle')).toHaveLength(2);
  expect(best.map(({ path }) => path).toSorted()).toContain('other/pool.py');
});

it('leaves out tests, fixtures and generated files unless they are asked for', () => {
  const test = file('pool.test.ts', 'test("closes", () => { closePool(); });\n', [], { fileClass: 'test' });
  expect(rank('Which test closes the pool?', [test]).best).toEqual([]);
  const asked = rank('Which test closes the pool?', [test], { weights: { test: 1 } });
  expect(asked.best).toHaveLength(1);
});

it('ranks an exactly named definition and a quoted text first', () => {
  const other = file('src/jobs/stop.ts', 'export function stopHolders(): void {\n  report(`gone`);\n}\n', [
    ['stopHolders', 'function', 1],
  ]);
  const named1 = rank('What does stopHolder do?', [other, leaseFile], { identifiers: ['stopHolder'] });
  expect(named1.best[0]!.definition?.name).toBe('stopHolder');
  const quoted = rank('report `gone`', [leaseFile, other], { phrases: ['report(`gone`)'] });
  expect(named(quoted)[0]).toBe('stopHolders');
});

it('says how sure the first five are', () => {
  expect(rank('How is the holding process of a lost lease ended?', [leaseFile]).confidence).toBe('likely');
  const many = Array.from({ length: 40 }, (_, at) =>
    file(`part${at}.ts`, `export function part${at}(): void {\n  start();\n  report();\n}\n`, [
      [`part${at}`, 'function', 1],
    ]),
  );
  expect(rank('What does it report?', many).confidence).toBe('weak');
});

it('does not call passages likely that lack words which others have', () => {
  const words = [
    'quota',
    'tariff',
    'ledger',
    'coupon',
    'parcel',
    'pallet',
    'crane',
    'anchor',
    'rudder',
    'winch',
  ];
  const others = words.map((word) => file(`${word}.md`, `A ${word}.\n`, [], { fileClass: 'docs', score: 0 }));
  const question = 'How is the holding process of a lost lease of the renewer ended';
  expect(rank(`${question}?`, [leaseFile, ...others]).confidence).toBe('likely');
  const asked = rank(`${question}, with ${words.join(', ')}?`, [leaseFile, ...others]);
  expect(asked.confidence).toBe('possible');
  expect(named(asked)[0]).toBe('stopHolder');
});

it('returns nothing for a question without words, and for files without its words', () => {
  expect(rank('?!', [leaseFile])).toEqual(noPassages);
  expect(rank('quux', [leaseFile, file('empty.ts', '')])).toEqual(noPassages);
});

it('finds words whose stems are short, and in other forms', () => {
  const text = 'export function run(): void {\n  aging(key);\n  tied(io);\n}\n';
  const found = (question: string) => named(rank(question, [file('a.ts', text, [['run', 'function', 1]])]));
  for (const word of ['age', 'keys', 'ties', 'io', 'running'])
    expect(found(`Where is ${word}`), word).toEqual(['run']);
});

it('finds the short forms that code has for a word, and the word for a short form', () => {
  const env = file('read.ts', 'function read(): void {\n  use(env.PORT);\n}\n', [['read', 'function', 1]]);
  const long = file('load.ts', 'function load(): void {\n  use(environment.PORT);\n}\n', [
    ['load', 'function', 1],
  ]);
  expect(named(rank('Which environment is it?', [env]))).toEqual(['read']);
  expect(named(rank('Which env is it?', [long]))).toEqual(['load']);
  expect(named(rank('Which envelope is it?', [env, long]))).toEqual([]);
});

it('finds words that mean about the same as those of the question, below its own words', () => {
  const text = (name: string, body: string): FileOfPassages =>
    file(`src/${name}.ts`, `function ${name}() {\n  ${body};\n}\n`, [[name, 'function', 1]]);
  const related = text('render', 'page.add(new Hyperlink(target))');
  const other = text('paint', 'page.add(new Rectangle(target))');
  expect(named(rank('clickable links', [other, related]))).toEqual(['render']);
  const own = text('draw', 'page.add(new Link(target))');
  expect(named(rank('clickable links', [other, related, own]))).toEqual(['draw', 'render']);
});

it('does not call passages likely that have only related words', () => {
  const text = (body: string): FileOfPassages =>
    file('src/a.ts', `function draw() {\n  page.add(new ${body});\n}\n`, [['draw', 'function', 1]]);
  const rest = Array.from({ length: 20 }, (_, at) =>
    file(`src/${at}.ts`, `function f${at}() {\n  return rest;\n}\n`, [[`f${at}`, 'function', 1]]),
  );
  expect(rank('page hyperlink', [text('Hyperlink(page)'), ...rest]).confidence).toBe('likely');
  expect(rank('page hyperlink', [text('Anchor(page)'), ...rest]).confidence).not.toBe('likely');
});

it('reads a hostile text in linear time', () => {
  const texts = [
    "'".repeat(200_000),
    '/*'.repeat(100_000),
    'aA'.repeat(100_000),
    '\n'.repeat(200_000),
    // Each of these marks may begin a text in quotes that nothing ends.
    '\\`'.repeat(133_000),
    '\\"'.repeat(133_000),
  ];
  const started = process.cpuUsage();
  for (const text of texts) rank('What a mess', [file('bad.ts', text)]);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
});

it('ranks what it has read when the time is used up', () => {
  const part = (at: number, size = 1): FileOfPassages => {
    const text = `export function part${at}(): void {\n  renew(lease);\n  report();\n}\n${'\n'.repeat(size)}`;
    return file(`part${at}.ts`, text, [[`part${at}`, 'function', 1]]);
  };
  const many = Array.from({ length: 30 }, (_, at) => part(at));
  let asked = 0;
  const cut = rank('Where is the flux lease renewed?', many, {}, () => ++asked > 2);
  expect(named(cut)).toHaveLength(12);
  expect(named(rank('lease', many, {}, () => true))).toHaveLength(10);
  // One file may take as long as many.
  expect(named(rank('lease', [part(0, 200_000), part(1)], {}, () => true))).toEqual(['part0']);
});

it('reads a file of many constants in linear time', () => {
  const count = 20_000;
  const text = Array.from({ length: count }, (_, at) => `const c${at} = ${at};`).join('\n');
  const constants = Array.from({ length: count }, (_, at) => [`c${at}`, 'constant', at + 1] as const);
  const started = process.cpuUsage();
  rank('What is the mess?', [file('constants.ts', text, constants)]);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
});

it('reads the nearest passage of every repository if asked to', () => {
  const many = Array.from({ length: 70 }, (_, at) =>
    file(`src/part${at}.ts`, `export function part${at}(): void {\n  renewLeases();\n  report();\n}\n`, [
      [`part${at}`, 'function', 1],
    ]),
  );
  const far = file('far.ts', 'export function farLease(): void {\n  renew(one);\n  stop();\n}\n', [
    ['farLease', 'function', 1],
  ]);
  const other = { ...far, file: { ...far.file, repository: 'other' as RepositoryId }, share: 0.1 };
  const nearest = (everyRepository: boolean) =>
    rank('Where are leases renewed?', [...many, other], { everyRepository }).nearest.map(
      (passage) => passage.repository,
    );
  expect(nearest(false)).toEqual([repository]);
  expect(nearest(true).toSorted()).toEqual(['other', repository]);
});

it('shows of a long class its own lines and the heads of its methods', () => {
  const body = Array.from({ length: 60 }, (_, n) => `    this.renew(${n}); // keeps the lease alive`);
  const text = ['class Renewer {', '  limit = 3;', '  renewAll() {', ...body, '  }', '}', ''].join('\n');
  const definitions = [
    ['Renewer', 'class', 1],
    ['renewAll', 'method', 3],
  ] as const;
  const { best } = rank('What is the limit of the Renewer class?', [file('renewer.ts', text, definitions)]);
  const whole = best.find(({ definition }) => definition?.name === 'Renewer');
  expect(whole).toMatchObject({ startLine: 1, endLine: 65 });
  expect(whole?.lines.map(({ line }) => line)).toEqual([1, 2, 3, 65]);
});

it('has the last lines of a function of 10,000 characters', () => {
  const lines = Array.from({ length: 500 }, (_, at) => `  moor(${at}, 'ship');\n`).join('');
  const long = `export function moorAll(): void {\n${lines}  untie('rope');\n}\n`;
  const [best] = rank('Where are all ships moored?', [file('a.ts', long, [['moorAll', 'function', 1]])]).best;
  expect(best!.lines.at(-2)!.text).toContain('rope');
});

it('ranks the sections of records like definitions if the question asks for such files', () => {
  const record = file(
    'issues/OPS-7.md',
    '# OPS-7: Jobs run twice\n\nState: open\n\n## Cause\n\nThe lease of a worker expired during a long pause of garbage collection.\n',
    [],
    { language: 'Markdown', fileClass: 'docs', score: 0.9 },
  );
  const question = 'Why did jobs run twice after a garbage collection pause?';
  const { best } = rank(question, [leaseFile, record], { weights: { docs: 1 } });
  expect(best[0]).toMatchObject({ path: 'issues/OPS-7.md', startLine: 1, endLine: 7 });
});
