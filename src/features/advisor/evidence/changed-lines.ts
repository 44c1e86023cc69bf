import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import type { Inquiry } from '../inquiry.ts';
import { codeOf, isProduct } from './line-source.ts';
import type { PastCommit } from './sources.ts';

/** Maximum number of bytes of a difference that are read: one page. */
const maxBytes = 60_000;

/** A line that a commit added or removed, with its sign. */
export interface ChangedLine {
  readonly path: string;
  readonly line: string;
}

/** Returns a pattern that finds a text as a word of its own, not as a part of a longer one. */
export function wordPattern(text: string): RegExp {
  const outside = String.raw`(?<![\p{L}\p{N}_])`;
  return new RegExp(`${outside}${escapePattern(text)}(?:${outside}|(?![\\p{L}\\p{N}_]))`, 'u');
}

/** Returns a function that tells whether a text has a name as a word, not only before a member: `hemp.old`. */
export function nameFinder(name: string): (text: string) => boolean {
  const pattern = new RegExp(`${wordPattern(name).source}(?!(?:\\.|::|->|#)[\\p{L}_])`, 'u');
  return (text) => pattern.test(text);
}

/** Returns whether a changed line has a word in code of the product. */
export function isCode({ path, line }: ChangedLine, word: RegExp): boolean {
  return isProduct({ path }) && word.test(codeOf(line.slice(1)));
}

/** Returns the lines with a word that a commit removed and added, of one file or all; `cut` if some were not read. */
export async function changedLines(
  { deps, scope, signal }: Inquiry,
  { repository, id }: PastCommit,
  word: RegExp,
  file?: string,
): Promise<{ readonly changed: readonly ChangedLine[]; readonly cut: boolean }> {
  const request = { repository: repository.id, commit: id, offset: 0, maxBytes, ...given({ path: file }) };
  const diff = await deps.sources.readDiff(scope, request, signal);
  let path = '';
  let isHead = true;
  const changed = (diff?.text.split('\n') ?? []).flatMap((line) => {
    // A removed line may begin with two dashes itself, which begin a comment of SQL.
    const sign = line.charAt(0);
    if (sign === '' || !'-+ \\'.includes(sign)) isHead = !line.startsWith('@@ ');
    const isPlace = isHead && ['--- ', '+++ '].some((mark) => line.startsWith(mark));
    if (isPlace && !line.endsWith('/dev/null')) path = line.slice('+++ b/'.length);
    return !isPlace && (sign === '-' || sign === '+') && word.test(line) ? [{ path, line }] : [];
  });
  return { changed, cut: diff?.cut !== false || diff.next !== undefined };
}
