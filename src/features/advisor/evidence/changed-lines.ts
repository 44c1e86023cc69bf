import type { SourceDiff } from '../../../backends/codesearch/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import type { Inquiry } from '../inquiry.ts';
import { codeOf, isProduct } from './line-source.ts';
import type { PastCommit } from './sources.ts';

/** Number of pages of a difference that are read, and bytes of one. */
const max = { pages: 8, bytes: 60_000 } as const;

/** A line that a commit added or removed, with its sign. */
export interface ChangedLine {
  readonly path: string;
  readonly line: string;
}

/** Returns a pattern of a text that begins and ends no word within it. */
export function wordPattern(text: string): RegExp {
  const outside = String.raw`(?<![\p{L}\p{N}_])`;
  return new RegExp(`${outside}${escapePattern(text)}(?:${outside}|(?![\\p{L}\\p{N}_]))`, 'u');
}

/** Returns whether texts have a name as a word, not only before that of a member; or there is none to look for. */
export function nameFinder(name: string | undefined): (text: string) => boolean {
  if (name === undefined) return () => true;
  const pattern = new RegExp(`${wordPattern(name).source}(?!(?:\\.|::|->|#)[\\p{L}_])`, 'u');
  return (text) => pattern.test(text);
}

/** Returns whether a changed line has a word in code of the product. */
export function isCode({ path, line }: ChangedLine, word: RegExp): boolean {
  return isProduct({ path }) && word.test(codeOf(line.slice(1)));
}

/** Returns the lines with a word that a commit removed and added, of a file if one is given; `cut` if some were not read. */
export async function changedLines(
  { deps, scope, signal }: Inquiry,
  { repository, id }: PastCommit,
  word: RegExp,
  { path: file, pages = max.pages }: { readonly path?: string | undefined; readonly pages?: number } = {},
): Promise<{ readonly changed: readonly ChangedLine[]; readonly cut: boolean }> {
  const request = { repository: repository.id, commit: id, maxBytes: max.bytes, ...given({ path: file }) };
  const lines: string[] = [];
  let diff: SourceDiff | undefined;
  for (let page = 0; page < pages && (page === 0 || diff?.next !== undefined); page++) {
    diff = await deps.sources.readDiff(scope, { ...request, offset: diff?.next ?? 0 }, signal);
    lines.push(...(diff?.text.split('\n') ?? []));
  }
  let path = '';
  let isHead = true;
  const changed = lines.flatMap((line) => {
    // A removed line may begin with two dashes itself, which begin a comment of SQL.
    const sign = line.charAt(0);
    if (sign === '' || !'-+ \\'.includes(sign)) isHead = !line.startsWith('@@ ');
    const isPlace = isHead && ['--- ', '+++ '].some((mark) => line.startsWith(mark));
    if (isPlace && !line.endsWith('/dev/null')) path = line.slice('+++ b/'.length);
    return !isPlace && (sign === '-' || sign === '+') && word.test(line) ? [{ path, line }] : [];
  });
  return { changed, cut: diff?.cut !== false || diff.next !== undefined || lines.join('') === '' };
}
