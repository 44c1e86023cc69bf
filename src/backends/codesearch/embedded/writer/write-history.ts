import {
  type LoggedCommit,
  readCommitLog,
  readCommitsSince,
} from '../../../../foundation/git/objects/history/commit-log.ts';
import { GitError } from '../../../../foundation/git/process/git-error.ts';
import { type PastCommit, readHistory, writeHistory } from '../format/history-file.ts';
import { wordsOf } from '../format/terms.ts';

/**
 * Maximum number of commits. Older ones say little about the current code, and listing them takes Git some tenths of
 * a second.
 */
const maxCommits = 2000;
/**
 * Maximum number of paths of a commit. Larger ones, such as moves, licence changes or formatting, say nothing about
 * their files.
 */
const maxPaths = 50;
/**
 * Maximum length of all distinct paths of a history, in characters: enough for the maximum number of commits and
 * paths of average length.
 */
const maxPathLength = 4 << 20;
/** Maximum lengths of a message and of a subject, in characters. */
const maxMessageLength = 600;
const maxSubjectLength = 120;
/** Matches lines that tools add: signers, reviewers, machines. They name people, not code. */
const trailer = /^[A-Za-z-]+-by: .*$/gm;

/**
 * Updates the history to the commit `to`: prepends commits of later pushes, or reads everything again if commits were
 * lost. Does nothing if it is already at that commit.
 * @throws GitError or a file system error; the previous history stays
 */
export async function updateHistory(
  folder: string,
  gitDir: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const known = readHistory(folder);
  if (known?.commit === to) return;
  const added = known && (await addedSince(gitDir, { from: known.commit, to }, signal));
  const commits =
    known === undefined || added === undefined
      ? toPastCommits(await readCommitLog(gitDir, { to, max: maxCommits }, signal))
      : [...toPastCommits(added), ...known.commits];
  writeHistory(folder, { commit: to, commits: newestWithin(commits.slice(0, maxCommits)) });
}

/** Returns the newest commits whose paths fit the limit, because readers keep the whole history in memory. */
function newestWithin(commits: readonly PastCommit[]): PastCommit[] {
  const paths = new Set<string>();
  let length = 0;
  const end = commits.findIndex((commit) => {
    for (const path of commit.paths) {
      if (!paths.has(path)) length += path.length;
      paths.add(path);
    }
    return length > maxPathLength;
  });
  return commits.slice(0, end < 0 ? commits.length : end);
}

/** Reads the commits since the last update; `undefined` if that commit is gone, too. */
async function addedSince(
  gitDir: string,
  range: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<LoggedCommit[] | undefined> {
  try {
    return await readCommitsSince(gitDir, range, signal);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

function toPastCommits(commits: readonly LoggedCommit[]): PastCommit[] {
  return commits.filter(isRelevant).map(pastCommit);
}

function isRelevant({ paths }: LoggedCommit): boolean {
  return paths.length > 0 && paths.length <= maxPaths;
}

/** Removes the line that names only branches if a title follows, as Git hosts write it for pull requests. */
function withoutMergeLine(message: string): string {
  const [, rest = ''] =
    /^Merge (?:pull request|branch|remote-tracking|tag|commit) [^\n]*\n\s*([^]+)/.exec(message) ?? [];
  return rest.trim() === '' ? message : rest;
}

function pastCommit({ id, time, message, paths }: LoggedCommit): PastCommit {
  const text = withoutMergeLine(message).slice(0, maxMessageLength).replace(trailer, '');
  const subject = text.trimStart().split('\n', 1)[0]!.replace(/\p{C}/gu, ' ').slice(0, maxSubjectLength);
  return { id, time, subject, terms: Uint32Array.from(wordsOf(text).keys()), paths };
}
