import { beforeAll, expect, it } from 'vitest';
import { ParsePool } from '../../../src/backends/languages/port.ts';
import { silentLog } from '../silent-log.ts';

/** The text of a sample, and its definitions as `line kind name`. */
export interface MarkedSample {
  readonly text: string;
  readonly expected: readonly string[];
}

/** Reads code in which ` //= kind name; kind name` ends the lines that define something. */
export function readMarked(sample: string): MarkedSample {
  const lines = sample.split('\n');
  const expected = lines.flatMap((line, index) => {
    const [, marks] = line.split(' //= ');
    return marks === undefined ? [] : marks.split('; ').map((mark) => `${index + 1} ${mark}`);
  });
  return { text: lines.map((line) => line.split(' //= ')[0]!).join('\n'), expected };
}

/** Tests that the definitions of samples, by file name and language, are those that their lines state. */
export function testMarkedSamples(samples: Readonly<Record<string, string>>): void {
  const files = Object.entries(samples).map(([key, sample]) => {
    const [path, language = path] = key.split(' ') as [string, string?];
    return { path, language, ...readMarked(sample) };
  });
  let found: readonly (readonly string[])[] = [];
  beforeAll(async () => {
    found = await definitionsOf(files);
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
): Promise<readonly (readonly string[])[]> {
  const pool = new ParsePool({ log: silentLog });
  try {
    const results = await pool.parseFiles(files, new AbortController().signal);
    return results.map((result) =>
      'failed' in result
        ? [result.failed]
        : result.symbols.map(({ line, kind, name }) => `${line} ${kind} ${name}`),
    );
  } finally {
    await pool.close();
  }
}
