import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const question = z.strictObject({
  id: z.string(),
  organization: z.string().regex(/^[a-z0-9-]+$/),
  /** The repositories that a right answer is about. */
  repositories: z.array(z.string()).min(1),
  question: z.string().min(1),
  style: z.enum(['plain', 'colleague']),
  kind: z.enum([
    'where',
    'how',
    'value',
    'config',
    'error',
    'why-change',
    'callers',
    'who',
    'exists',
    'several',
  ]),
  /**
   * `repository/path:definition` or `repository/path:10-20`. One of them is sought; of `several`, each. None if the
   * right answer is that there is no such thing.
   */
  places: z.array(z.string().regex(/^[^/:]+\/[^:]+:.+$/)),
  /** Each list has alternatives, one of which the evidence must contain. */
  facts: z.array(z.array(z.string().min(1)).min(1)),
});

export type Question = z.output<typeof question>;

export const halves = ['a', 'b', 'odd', 'even'] as const;

export type Half = (typeof halves)[number];

/** Returns all questions of the files `questions-*.json` of this folder, or of one file. */
export function readQuestions(file: string | undefined): readonly Question[] {
  const folder = import.meta.dirname;
  const files =
    file === undefined ? readdirSync(folder).filter((name) => /^questions-\w+\.json$/.test(name)) : [file];
  const read = files
    .toSorted()
    .flatMap((name) =>
      z
        .array(question)
        .parse(JSON.parse(readFileSync(file ?? join(folder, name), 'utf8')), { reportInput: true }),
    );
  const ids = new Set(read.map(({ id }) => id));
  if (ids.size < read.length) throw new Error('Two questions have the same id.');
  return read;
}

/**
 * Returns the questions of a half: the organizations of the first (`a`) or second (`b`) half of the file names, or those
 * at odd or even positions.
 */
export function inHalf(questions: readonly Question[], half: Half | undefined): readonly Question[] {
  if (half === undefined) return questions;
  if (half === 'odd' || half === 'even')
    return questions.filter((_, index) => (index % 2 === 0) === (half === 'odd'));
  const names = new Set(
    readQuestions(join(import.meta.dirname, `questions-${half}.json`)).map(({ id }) => id),
  );
  return questions.filter(({ id }) => names.has(id));
}
