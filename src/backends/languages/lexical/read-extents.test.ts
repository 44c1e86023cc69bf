import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../../test/support/run/gates.ts';
import { allLanguages, sourceLanguages } from '../languages.ts';
import { readExtents } from './read-extents.ts';

/** Texts with `‹…›` around strings and `«…»` around comments, by language. */
const samples = readFileSync(join(projectRoot, 'test/fixtures/languages/lexical.txt'), 'utf8')
  .split(/^=== /m)
  .slice(1)
  .map((sample): [string, string] => {
    const end = sample.indexOf('\n');
    return [sample.slice(0, end), sample.slice(end + 1, -1)];
  });

function marked(text: string, language: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { kind, start, end } of readExtents(text, language)) {
    const inside = text.slice(start, end);
    parts.push(text.slice(at, start), kind === 'comment' ? `«${inside}»` : `‹${inside}›`);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

describe('comments and literals of', () => {
  it.each(samples)('%s', (language, sample) => {
    for (const expected of [sample, sample.replaceAll('\n', '\r\n')])
      expect(marked(expected.replaceAll(/[‹›«»]/g, ''), language)).toBe(expected);
  });

  it('each language with definitions, but notebooks', () => {
    const sampled = new Set(samples.map(([language]) => language));
    expect([...sourceLanguages.keys()].filter((name) => !sampled.has(name))).toEqual(['Jupyter Notebook']);
  });

  it('all languages but those without any', () => {
    const without = allLanguages.filter(({ lexical }) => lexical === undefined).map(({ name }) => name);
    expect(without.toSorted()).toEqual([
      'CSV',
      'Diff',
      'Go Checksums',
      'Jupyter Notebook',
      'TSV',
      'Text',
      'reStructuredText',
    ]);
  });
});

it.each([
  ['TypeScript', 'a = "b\nc()', 'a = ‹"b›\nc()'],
  ['TypeScript', '// a\rb // c\u2028d', '«// a»\rb «// c»\u2028d'],
  ['TypeScript', '`a ${b', '‹`a ›${b'],
  ['TypeScript', '`a ${{b} ', '‹`a ›${{b} '],
  ['Shell', 'cat <<A\n"b"', 'cat <<A\n‹"b"›'],
  ['Ruby', 'a << B\n# c', 'a << B\n«# c»'],
  ['TSX', 'a = <b>c', 'a = <b>‹c›'],
])(
  'in %s, what %j does not end lasts up to the end of its line or of the text',
  (language, text, expected) => {
    expect(marked(text, language)).toBe(expected);
  },
);

it.each([
  ['TypeScript', 'a /* b "c"', 'a /* b ‹"c"›'],
  ['Lua', '--[[ a\nb "c"', '«--[[ a»\nb ‹"c"›'],
  ['C', 'a /*/ b "c"', 'a /*/ b ‹"c"›'],
  ['HTML', 'a <!-- b', 'a <!-- b'],
])('in %s, a mark of a comment with no end mark behind it is none: %j', (language, text, expected) => {
  expect(marked(text, language)).toBe(expected);
});

describe('hostile text', () => {
  const tokens =
    '" \' ` / /* {- """ \'\'\' <<A\nA\n <<A\n <<A /[ "${ `${ "#{ $" "$( <a <a> <a{ r#" R"( [[ --[== %w( %( ? ?> =begin\n /**/< s/ \r \u2028 \\ "\n'.split(
      ' ',
    );

  /** Expects extents in order, in a time that a text of 64 to 1,000 KB needs only if each character is read often. */
  function expectFast(text: string, language: string): void {
    const started = process.threadCpuUsage();
    const extents = readExtents(text, language);
    const { user, system } = process.threadCpuUsage(started);
    expect((user + system) / 1000, `milliseconds for ${JSON.stringify(text.slice(0, 20))}`).toBeLessThan(400);
    let last = 0;
    const isOrdered = extents.every(
      ({ start, end }) => start >= last && end > start && (last = end) <= text.length,
    );
    expect(isOrdered, `order of ${JSON.stringify(text.slice(0, 20))}`).toBe(true);
  }

  it.each([...sourceLanguages.keys()])('of %s takes linear time', (language) => {
    for (const token of tokens) expectFast(token.repeat(Math.ceil(65_536 / token.length)), language);
  });

  it.each([
    ['Shell', '<<A\nA\n'.repeat(100_000)],
    ['JavaScript', '/['.repeat(500_000)],
    ['Ruby', '<<A\n#{\nA\n'.repeat(250) + '}\n'.repeat(10_000)],
    ['TypeScript', '`${'.repeat(100_000) + '}`'.repeat(100_000)],
  ])('of %s that grows worse with its size', (language, text) => expectFast(text, language));
});
