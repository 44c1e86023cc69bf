import { beforeAll, expect, it } from 'vitest';
import { type FileSymbol, languageOf } from '../../../src/backends/languages/port.ts';
import { sharedParser } from './shared-parser.ts';

/** The text of a sample, and its definitions as `line kind name`. */
export interface MarkedSample {
  readonly text: string;
  readonly expected: readonly string[];
}

const mark = / (?:\/\/|#)= /;

/** Reads code in which ` //= kind name; kind name`, or the same after `#=`, ends the lines that define something. */
export function readMarked(sample: string): MarkedSample {
  const lines = sample.split('\n');
  const expected = lines.flatMap((line, index) => {
    const [, marks] = line.split(mark);
    return marks === undefined ? [] : marks.split('; ').map((each) => `${index + 1} ${each}`);
  });
  return { text: lines.map((line) => line.split(mark)[0]!).join('\n'), expected };
}

type NameOf = (symbol: FileSymbol) => string;

/** Tests that the definitions of samples, by file name and language, are those that their lines state. */
export function testMarkedSamples(samples: Readonly<Record<string, string>>): void {
  testSamples(samples, ({ name }) => name);
}

/** Does the same for samples by file name alone, whose lines state qualified names. */
export function testQualifiedSamples(samples: Readonly<Record<string, string>>): void {
  const named = Object.entries(samples).map(
    ([path, sample]) => [`${path} ${languageOf(path, sample)}`, sample] as const,
  );
  testSamples(Object.fromEntries(named), ({ qualifiedName }) => qualifiedName);
}

function testSamples(samples: Readonly<Record<string, string>>, nameOf: NameOf): void {
  const files = Object.entries(samples).map(([key, sample]) => {
    const [path, language = path] = key.split(' ') as [string, string?];
    return { path, language, ...readMarked(sample) };
  });
  let found: readonly (readonly string[])[] = [];
  beforeAll(async () => {
    found = await definitionsOf(files, nameOf);
  });
  it.each(files.map((file, index) => ({ ...file, index })))(
    'defines what $path says, and nothing else',
    ({ index, expected }) => {
      expect(found[index]).toEqual(expected);
    },
  );
}

/** Returns the definitions of files as `line kind name`, or the reason why a file has none. */
export async function definitionsOf(
  files: readonly { readonly path: string; readonly language: string; readonly text: string }[],
  nameOf: NameOf = ({ name }) => name,
): Promise<readonly (readonly string[])[]> {
  const results = await sharedParser.parseFiles(files, new AbortController().signal);
  return results.map((result) =>
    'failed' in result
      ? [result.failed]
      : result.symbols.map((symbol) => `${symbol.line} ${symbol.kind} ${nameOf(symbol)}`),
  );
}
