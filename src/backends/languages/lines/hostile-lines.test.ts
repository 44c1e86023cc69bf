import { expect, it } from 'vitest';
import { sourceLanguages } from '../languages.ts';

/** Maximum length of a line that is read, in characters. */
const lineLength = 512;
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

/** Yields lines made of the words of a pattern and of signs, with single blanks, as patterns receive them. */
function* linesAgainst(pattern: string): Generator<string> {
  const literals = [...new Set(pattern.match(/(?<!\\)[A-Za-z_]{2,}/g))].slice(0, 8);
  const begins = ['', 'a ', ...literals.flatMap((word) => [`${word} `, `${word} a(`])];
  const tokens = [...signs, ...literals.slice(0, 3).map((word) => `${word} `)];
  for (const begin of begins)
    for (const first of tokens)
      for (const second of tokens)
        yield (begin + filled(first, 256) + filled(second, 256)).replaceAll(/\s+/g, ' ').slice(0, lineLength);
}

/** Returns the time of a pattern for a line, in milliseconds: the best of twenty runs, as other processes run, too. */
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
function slowLine(patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    for (const line of linesAgainst(pattern.source)) {
      const time = fastestRun(pattern, line, 0.5);
      if (time > 0.5) return `${pattern.source} takes ${time.toFixed(1)} ms for ${line}`;
    }
  }
  return undefined;
}

it('takes less than half a millisecond with each pattern of each language', () => {
  const patterns = [...sourceLanguages.values()].flatMap((language) => {
    if (!('lines' in language)) return [];
    return language.lines.flatMap(({ pattern, opens = [] }) => [
      pattern,
      ...opens.map((inner) => inner.pattern),
    ]);
  });
  expect(slowLine([...new Set(patterns)])).toBeUndefined();
});

it('is found for a pattern that can match a text in several ways', () => {
  expect(slowLine([/^typedef\s+(?:a\s*)*(?:a\s*)*(?:a\s*)*;/])).toMatch(/^\^typedef.* takes /);
});
