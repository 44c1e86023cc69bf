import { describe, expect, it } from 'vitest';
import type { RankedDefinition, RankedFile, SymbolKind } from '../../../../backends/codesearch/port.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { rankDefinitions } from './rank-definitions.ts';

type Extent = readonly [name: string, kind: SymbolKind, startLine: number, endLine: number, doc?: number];

function file(path: string, text: string, extents: readonly Extent[], score = 1): RankedFile {
  const lines = text.split('\n');
  const definitions = extents.map(([name, kind, startLine, endLine, doc]): RankedDefinition => {
    const line = lines.findIndex((one, at) => at + 1 >= startLine && one.includes(name)) + 1;
    const extent = { name, kind, line, startLine, endLine };
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

const ranked = (files: readonly RankedFile[], terms: readonly string[], asksForBehaviour = true) =>
  rankDefinitions(files, { terms, names: [], asksForBehaviour }).map(({ definition, container }) =>
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
  it('prefers the method that holds the words of the question to its class', () => {
    expect(ranked([throttle], ['throttle', 'compute', 'delay'])[0]).toBe('Throttle.adjust');
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

  it('prefers a function to a type if the question asks for behaviour, and reads comments', () => {
    expect(ranked([jobs], ['job', 'worker', 'killed'])[0]).toBe('reapLeases');
    expect(ranked([jobs], ['options', 'worker'], false)[0]).toBe('WorkerOptions');
  });

  it('takes a constant that holds a function for one', () => {
    const middleware = file(
      'jwt.ts',
      'type Token = string;\nconst check = (\n  token: string,\n) => {\n  verify(token);\n}',
      [
        ['Token', 'type', 1, 1],
        ['check', 'constant', 2, 6],
      ],
    );
    const [first] = rankDefinitions([middleware], { terms: ['token'], names: [], asksForBehaviour: true });
    expect(first).toMatchObject({ isFunction: true, definition: { name: 'check' } });
  });

  it('ranks a constructor and a member of an interface below what does the work', () => {
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
    expect(ranked([reader], ['hook'])[0]).toBe('HookReader.check');
    expect(ranked([reader], ['verify', 'hook']).indexOf('Reader.verify')).toBeGreaterThan(0);
  });

  it('knows the type of a method in Go', () => {
    const command = file('command.go', 'func (c *Command) Find() error {\n\treturn c.find()\n}', [
      ['Find', 'method', 1, 3],
    ]);
    expect(ranked([command], ['find'])).toEqual(['Command.Find']);
  });

  it('finds a function by a word that code uses instead of that of the question', () => {
    const queue = file('queue.ts', 'export function requeue() {}\nexport function rename() {}', [
      ['requeue', 'function', 1, 1],
      ['rename', 'function', 2, 2],
    ]);
    expect(ranked([queue], ['recover'])).toEqual(['requeue']);
  });

  it('weighs definitions by the score of their file', () => {
    const text = 'export function open() {}';
    const files = [
      file('a.ts', text, [['open', 'function', 1, 1]], 1),
      file('b.ts', text, [['open', 'function', 1, 1]], 3),
    ];
    const [first] = rankDefinitions(files, { terms: ['open'], names: [], asksForBehaviour: true });
    expect(first?.file.path).toBe('b.ts');
  });
});
