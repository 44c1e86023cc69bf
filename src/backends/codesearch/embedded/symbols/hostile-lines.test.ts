import { describe, expect, it } from 'vitest';
import { compileLanguage } from './compile-rules.ts';
import { eachSymbol } from './each-symbol.ts';
import { symbolRules } from './languages.ts';
import { openLineScanner } from './line-scanner.ts';
import { openSymbolExtraction } from './symbols-of.ts';

const LENGTH = 511;
const SIGNS = [
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

/** Lines of 511 bytes out of a rule's own words and of signs, as patterns get them: no blanks side by side. */
function* linesAgainst(pattern: string): Generator<string> {
  const literals = [...new Set(pattern.match(/(?<!\\)[A-Za-z_]{2,}/g))].slice(0, 8);
  const begins = ['', 'a ', ...literals.flatMap((word) => [`${word} `, `${word} a(`])];
  const tokens = [...SIGNS, ...literals.slice(0, 3).map((word) => `${word} `)];
  for (const begin of begins)
    for (const first of tokens)
      for (const second of tokens)
        yield (begin + filled(first, 256) + filled(second, 256)).replace(/\s\s+/g, ' ').slice(0, LENGTH);
}

/** Milliseconds that a pattern takes for a line: the best of three where the first is slow, since others run beside it. */
function timeOf(pattern: RegExp, line: string, bar: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && best > bar; tries++) {
    const started = performance.now();
    pattern.exec(line);
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

/** Of the patterns the first line that one of them takes longer for than half a millisecond. */
function slowLine(patterns: readonly string[]): string | undefined {
  for (const pattern of patterns) {
    const compiled = new RegExp(`^(?:${pattern})`);
    for (const line of linesAgainst(pattern)) {
      const time = timeOf(compiled, line, 0.5);
      if (time > 0.5) return `${pattern} takes ${time.toFixed(1)} ms for ${line}`;
    }
  }
  return undefined;
}

describe('a hostile line', () => {
  it.each(Object.keys(symbolRules))('takes no pattern of %s half a millisecond', (language) => {
    const { rules, members = {} } = symbolRules[language]!;
    const patterns = [...rules, ...Object.values(members).flat()].map(({ pattern }) => pattern);
    expect(slowLine(patterns)).toBeUndefined();
  });

  it('is found for a pattern that has several ways to read a text', () => {
    expect(slowLine(['typedef\\s+(?:a|a\\s)*(?:a\\s*)*;'])).toMatch(/^typedef.* takes /);
  });

  it.each([
    ['C', 'struct A {', 'typedef', ' '.repeat(150), 'a['.repeat(177)],
    ['C', 'struct A {', 'typedef', ' '.repeat(250), '('.repeat(250)],
    ['Python', 'class A(B):', ' a:', ' '.repeat(506), '!'],
    ['TypeScript', 'class A {', ' a', ' '.repeat(505), '<'],
    ['TypeScript', 'class A {', ' const a', ' '.repeat(500), ':'],
    ['Java', 'class A {', ' static final ', 'a \t'.repeat(165), '!'],
  ])('of %s with many blanks lets a file of 1 MiB be read to its end: %s %s', (language, opens, ...parts) => {
    const line = parts.join('').slice(0, LENGTH);
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
    expect((user + system) / 1000).toBeLessThan(400);
    const kind = language === 'C' ? 'struct' : 'class';
    expect(found).toEqual([`1 ${kind}`, `2049 ${kind}`]);
  });
});

it('ends the definitions of a text where its time is used up, and keeps those before', () => {
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
