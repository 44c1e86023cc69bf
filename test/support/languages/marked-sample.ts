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
