import { describe, expect, it } from 'vitest';
import { maxSpans, type RankedFile } from '../port.ts';
import { chooseSpans, type ReadFile } from './choose-spans.ts';

const file: ReadFile['file'] = {
  repository: 'repo' as RankedFile['repository'],
  commit: 'c'.repeat(40),
  path: 'a.ts',
  language: 'TypeScript',
  fileClass: 'source',
  score: 1,
  reasons: [],
};

const body = (count: number): string[] => Array.from({ length: count }, () => `  step(${'x'.repeat(40)});`);
const lines = [
  'function first() {',
  ...body(30),
  '}',
  '',
  '/** Renews it. */',
  'function renew() {',
  ...body(30),
  '}',
];
const definitions = [
  { name: 'first', kind: 'function', line: 1 },
  { name: 'renew', kind: 'function', line: 35 },
] as const;
const read: ReadFile = { file, lines, definitions, hits: [], exactLines: [] };
const question = { weights: [2, 1], names: [] };

describe('spans', () => {
  it('are ordered by the terms in them, rare ones and those in the head first, with their definition', () => {
    const hits = [
      { line: 3, term: 1 },
      { line: 34, term: 0 },
    ];
    const [found] = chooseSpans([{ ...read, hits }], question);
    expect(found?.spans.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [34, 66],
      [1, 32],
    ]);
    expect(found?.spans[0]).toMatchObject({ score: 1, text: lines.slice(33).join('\n') });
    expect(found?.spans[1]?.score).toBeGreaterThan(0);
    expect(found?.spans[1]?.score).toBeLessThan(0.7);
    expect(found?.definitions.map(({ name }) => name)).toEqual(['first', 'renew']);
  });

  it('prefer the definition of a name, and a line that the question points to', () => {
    const hits = [2, 3, 4].map((line) => ({ line, term: 0 }));
    const named = chooseSpans([{ ...read, hits }], { ...question, names: ['Lease.renew'] });
    expect(named[0]?.spans[0]?.startLine).toBe(34);
    const pointed = chooseSpans([{ ...read, exactLines: [40] }], question);
    expect(pointed[0]?.spans).toMatchObject([{ startLine: 34 }]);
  });

  it('have scores that are comparable between files', () => {
    const weak = { ...read, hits: [{ line: 3, term: 1 }] };
    const strong = { ...read, hits: [{ line: 3, term: 0 }] };
    const [first, second] = chooseSpans([weak, strong], question);
    expect(second?.spans[0]?.score).toBe(1);
    expect(first?.spans[0]?.score).toBeLessThan(1);
  });

  it('are the first unit if no term occurs, and none of an empty file', () => {
    expect(chooseSpans([read], question)[0]?.spans).toMatchObject([{ startLine: 1, score: 0 }]);
    expect(chooseSpans([{ ...read, lines: [], definitions: [] }], question)[0]).toMatchObject({
      spans: [],
      definitions: [],
    });
  });

  it('are bounded in number and length, however long the lines are', () => {
    const wide = Array.from({ length: 200 }, () => `${'w'.repeat(100_000)}\u{1f600}`);
    const hits = wide.map((_, at) => ({ line: at + 1, term: 0 }));
    const spans = chooseSpans([{ ...read, lines: wide, definitions: [], hits }], question)[0]?.spans ?? [];
    expect(spans).toHaveLength(maxSpans.count);
    for (const { text } of spans) {
      expect(text.length).toBeLessThanOrEqual(maxSpans.length);
      expect(text.isWellFormed()).toBe(true);
    }
  });

  it('stay fast if a text defines the name of the question on every line', () => {
    const many = Array.from({ length: 60_000 }, () => 'def renew(): pass');
    const all = many.map((_, at) => ({ name: 'renew', kind: 'function' as const, line: at + 1 }));
    const python = { ...file, language: 'Python' };
    const used = process.cpuUsage();
    const [found] = chooseSpans([{ ...read, file: python, lines: many, definitions: all }], {
      ...question,
      names: ['renew'],
    });
    const { user, system } = process.cpuUsage(used);
    expect(found?.spans).toHaveLength(maxSpans.count);
    // It takes about 0.1 s; a comparison of all units with all definitions takes ten.
    expect(user + system).toBeLessThan(3_000_000);
  });

  it('are left out after the deadline', () => {
    const [first, second] = chooseSpans([read, read], question, () => true);
    expect([first?.spans, second?.definitions]).toEqual([[], []]);
  });
});
