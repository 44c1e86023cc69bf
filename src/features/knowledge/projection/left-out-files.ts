import { z } from 'zod';
import type { ParseFailure } from '../../../backends/languages/port.ts';

/** A file of a commit, and why nothing of it could be read. */
export interface UnparsedFile {
  readonly path: string;
  readonly oid: string;
  readonly failed: ParseFailure;
}

/** A file of which the graph lacks something. */
export interface LeftOutFile {
  readonly path: string;
  readonly reason: ParseFailure | 'owners_not_read';
}

/** The files of which the graph lacks symbols and imports, or owners. */
export interface LeftOutFiles {
  /** Number of files by reason. */
  readonly counts: Readonly<Record<string, number>>;
  /** Some of them. */
  readonly examples: readonly { readonly path: string; readonly reason: string }[];
}

export const leftOutFiles: z.ZodType<LeftOutFiles> = z.object({
  counts: z.record(z.string(), z.number()),
  examples: z.array(z.object({ path: z.string(), reason: z.string() })),
});

/** No file is left out. */
export const nothingLeftOut: LeftOutFiles = { counts: {}, examples: [] };

/** Maximum number of examples, and maximum length of the path of one, in characters. */
const max = { examples: 10, path: 300 };

export function leftOutOf(files: Iterable<LeftOutFile>): LeftOutFiles {
  const counts = new Map<string, number>();
  const examples: LeftOutFiles['examples'][number][] = [];
  for (const { path, reason } of files) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    if (examples.length < max.examples && path.length <= max.path) examples.push({ path, reason });
  }
  return { counts: Object.fromEntries(counts), examples };
}
