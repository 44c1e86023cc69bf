import type { HistoryRequest } from '../../../backends/codesearch/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { isProduct, searchText } from '../evidence/line-source.ts';
import { commitOf, orNone, type Past } from '../evidence/past-commits.ts';
import { placeText } from '../evidence/place-source.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { repositoriesOfHistory } from './weigh-commits.ts';

/**
 * Numbers of repositories whose commits are compared, of commits with a text, of those whose lines are read, and of lines
 * that are stated; and lengths of a line, in characters, and of a difference, in bytes.
 */
const max = { repositories: 3, withText: 201, read: 6, lines: 4, line: 160, bytes: 60_000 } as const;

/** Reads commits of a repository, newest first. */
export async function historyOf(
  inquiry: Inquiry,
  repository: SearchableRepository,
  request: Omit<HistoryRequest, 'repository' | 'skip' | 'files'>,
): Promise<Past & { readonly more: boolean }> {
  const { deps, scope, signal } = inquiry;
  const asked = { repository: repository.id, skip: 0, files: true, ...request };
  const history = await orNone(inquiry, deps.sources.readHistory(scope, asked, signal));
  const { commits = [], more = false, whole = false } = history ?? {};
  return { commits: commits.map((one) => commitOf(repository, one)), more, whole };
}

interface CommitsWithText {
  /** The oldest or the newest first. */
  readonly commits: readonly PastCommit[];
  /** False if older commits were not compared. */
  readonly isWhole: boolean;
  /** True if all commits of all searched repositories were compared, and none has the text. */
  readonly isNowhere: boolean;
}

/** Reads the commits that added or removed a text in a file. */
export async function commitsWithText(
  inquiry: Inquiry,
  text: string,
  isFirst: boolean,
): Promise<CommitsWithText> {
  const likely = repositoriesOfHistory(inquiry);
  // Passages tell nothing of a name that is in no code.
  const others = isFirst ? [] : askedRepositories(inquiry);
  const repositories = [...new Set([...likely, ...others])].slice(0, max.repositories);
  const read = await Promise.all(
    repositories.map((one) => historyOf(inquiry, one, { text, max: max.withText })),
  );
  const commits = read.flatMap((one) => one.commits).toSorted((a, b) => b.time - a.time);
  const isWhole = read.every((one) => one.whole && !one.more);
  const isOfAll = inquiry.ranked.searched.every((one) => repositories.includes(one));
  return {
    commits: isFirst ? commits.toReversed() : commits,
    isWhole,
    isNowhere: isWhole && isOfAll && commits.length === 0,
  };
}

interface CommitWith {
  readonly commit: PastCommit;
  /** The lines with the name that it changed. */
  readonly lines: readonly Sentence[];
  /** The commits after it. */
  readonly more: readonly PastCommit[];
  /** False if no line has the name as a word, or not all lines of the commits before it were read. */
  readonly isCertain: boolean;
}

/** Returns the first of the next commits that changed lines of the product with a name as a whole word, or else the first one. */
export async function commitWith(
  inquiry: Inquiry,
  commits: readonly PastCommit[],
  name: string,
): Promise<CommitWith> {
  let best: CommitWith = { commit: commits[0]!, lines: [], more: commits.slice(1), isCertain: false };
  let isWhole = true;
  for (const [at, commit] of commits.slice(0, max.read).entries()) {
    const { changed, cut } = await changedLines(inquiry, commit, name);
    const isOfProduct = changed.some(isProduct);
    const isBefore = isWhole;
    isWhole &&= !cut;
    if (!isOfProduct && (best.lines.length > 0 || changed.length === 0)) continue;
    const lines = changed.slice(0, max.lines).map(({ path, line }): Sentence => {
      const text = inlineCode(shorten(visibleLine(line.slice(1)).trim(), max.line));
      const place = placeText(commit.repository.name, path);
      return [`${line.startsWith('-') ? 'Removed' : 'Added'} in ${place}: ${text}`];
    });
    best = { commit, lines, more: commits.slice(at + 1), isCertain: isBefore };
    if (isOfProduct) break;
  }
  return best;
}

/** Returns whether no code of the product has a name as a word. */
export async function isInNoCode(inquiry: Inquiry, name: string): Promise<boolean> {
  const found = await searchText(inquiry, { text: name, form: 'word', field: 'content' });
  if (found === undefined || found.incomplete !== undefined || found.nextOffset !== undefined) return false;
  return !found.files.some(isProduct);
}

interface ChangedLine {
  readonly path: string;
  readonly line: string;
}

/** Returns the lines with a name as a whole word that a commit removed and added; `cut` if it changed too many to read. */
async function changedLines(
  { deps, scope, signal }: Inquiry,
  { repository, id }: PastCommit,
  name: string,
): Promise<{ readonly changed: readonly ChangedLine[]; readonly cut: boolean }> {
  const request = { repository: repository.id, commit: id, offset: 0, maxBytes: max.bytes };
  const diff = await deps.sources.readDiff(scope, request, signal);
  const word = new RegExp(`^[-+].*(?<![\\p{L}\\p{N}_])${escapePattern(name)}(?![\\p{L}\\p{N}_])`, 'u');
  let path = '';
  let isHead = true;
  const changed = (diff?.text.split('\n') ?? []).flatMap((line) => {
    // A removed line may begin with two dashes itself, which begin a comment of SQL.
    if (!/^[-+ \\]/u.test(line)) isHead = !line.startsWith('@@ ');
    const isPlace = isHead && /^(?:---|\+\+\+) /u.test(line);
    if (isPlace && !line.endsWith('/dev/null')) path = line.slice('+++ b/'.length);
    return !isPlace && word.test(line) ? [{ path, line }] : [];
  });
  return { changed, cut: diff?.cut !== false || diff.next !== undefined };
}
