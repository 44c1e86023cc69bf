import { describe, expect, it } from 'vitest';
import { compileLanguage } from './compile-rules.ts';
import { eachSymbol } from './each-symbol.ts';
import { symbolRules } from './languages.ts';
import { openLineScanner } from './line-scanner.ts';
import { openSymbolExtraction } from './symbol-extraction.ts';

const lineLength = 511;
const signs = [
  ' ',
  'a',
  'a ',
  'A ',
  'a<',
  '[a] ',
  'a(',
  'a:',
  'a, ',
  '*',
  '()',
  '=a',
  '::a',
  'a.',
  '"a" ',
  '@a ',
];

function filled(token: string, length: number): string {
  return token.repeat(Math.ceil(length / token.length)).slice(0, length);
}

/**
 * Yields lines of 511 bytes, made of the words of a pattern and of signs. Adjacent blanks are collapsed, as in the
 * lines that patterns receive.
 */
function* linesAgainst(pattern: string): Generator<string> {
  const literals = [...new Set(pattern.match(/(?<!\\)[A-Za-z_]{2,}/g))].slice(0, 8);
  const begins = ['', 'a ', ...literals.flatMap((word) => [`${word} `, `${word} a(`])];
  const tokens = [...signs, ...literals.slice(0, 3).map((word) => `${word} `)];
  for (const begin of begins)
    for (const first of tokens)
      for (const second of tokens)
        yield (begin + filled(first, 256) + filled(second, 256)).replace(/\s\s+/g, ' ').slice(0, lineLength);
}

/**
 * Returns the time that a pattern takes for a line, in milliseconds. A slow run is repeated, and the best of twenty
 * counts, because other processes run at the same time.
 */
function fastestRun(pattern: RegExp, line: string, bar: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 20 && best > bar; tries++) {
    const started = performance.now();
    pattern.exec(line);
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

/** Describes the first line for which one of the patterns takes longer than half a millisecond. */
function slowLine(patterns: readonly string[]): string | undefined {
  for (const pattern of patterns) {
    const compiled = new RegExp(`^(?:${pattern})`);
    for (const line of linesAgainst(pattern)) {
      const time = fastestRun(compiled, line, 0.5);
      if (time > 0.5) return `${pattern} takes ${time.toFixed(1)} ms for ${line}`;
    }
  }
  return undefined;
}

describe('a hostile line', () => {
  it.each(Object.keys(symbolRules))(
    'takes less than half a millisecond with each pattern of %s',
    (language) => {
      const { rules, members = {} } = symbolRules[language]!;
      const patterns = [...rules, ...Object.values(members).flat()].map(({ pattern }) => pattern);
      expect(slowLine(patterns)).toBeUndefined();
    },
  );

  it('is found for a pattern that can match a text in several ways', () => {
    expect(slowLine(['typedef\\s+(?:a\\s*)*(?:a\\s*)*(?:a\\s*)*;'])).toMatch(/^typedef.* takes /);
  });

  it.each([
    ['C', 'struct A {', 'typedef', ' '.repeat(150), 'a['.repeat(177)],
    ['C', 'struct A {', 'typedef', ' '.repeat(250), '('.repeat(250)],
    ['Python', 'class A(B):', ' a:', ' '.repeat(506), '!'],
    ['TypeScript', 'class A {', ' a', ' '.repeat(505), '<'],
    ['TypeScript', 'class A {', ' const a', ' '.repeat(500), ':'],
    ['Java', 'class A {', ' static final ', 'a \t'.repeat(165), '!'],
  ])(
    'of %s with many blanks does not stop the extraction from a file of 1 MiB: %s %s',
    (language, opens, ...parts) => {
      const line = parts.join('').slice(0, lineLength);
      const lines = Array.from({ length: 2_047 }, () => line);
      const found: string[] = [];
      const started = process.cpuUsage();
      openSymbolExtraction().each(
        language,
        Buffer.from([opens, ...lines, opens].join('\n')),
        (number, kind) => {
          if (number === 1 || number > lines.length + 1) found.push(`${number} ${kind}`);
        },
      );
      const { user, system } = process.cpuUsage(started);
      expect((user + system) / 1000).toBeLessThan(1_200);
      const kind = language === 'C' ? 'struct' : 'class';
      expect(found).toEqual([`1 ${kind}`, `2049 ${kind}`]);
    },
  );
});

it('stops the extraction when its time is used up, and keeps the definitions found before', () => {
  const language = compileLanguage({
    rules: [{ pattern: '(?:(?:a+)+b|fn ([a-z]+))', kind: 'function', place: 'top' }],
  });
  const slow = `${'a'.repeat(20)}\n`.repeat(400);
  const found: string[] = [];
  const started = process.cpuUsage();
  eachSymbol(
    openLineScanner(),
    language,
    Buffer.from(`fn first\n${slow}fn last\n`),
    (_line, _kind, name) => found.push(name),
    20,
  );
  const { user, system } = process.cpuUsage(started);
  expect(found).toEqual(['first']);
  expect((user + system) / 1000).toBeLessThan(2_000);
});
