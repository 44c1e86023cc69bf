import { type LoggedCommit, readCommitLog, readCommitsSince } from '../../../../foundation/git/commit-log.ts';
import { GitError } from '../../../../foundation/git/git-error.ts';
import { type PastCommit, readHistory, writeHistory } from '../format/history-file.ts';
import { wordsOf } from '../format/terms.ts';

/** Older ones say little about where things are by now, and to list them takes Git a tenth of a second. */
const MOST_COMMITS = 1000;
/** A commit that touches more says nothing about any of them: a move, a licence, a formatter. */
const MOST_PATHS = 50;
/** Characters of distinct paths in one history: room for the most commits of the most paths of usual length. */
const MOST_PATH_LENGTH = 4 << 20;
/** Characters. */
const LONGEST_MESSAGE = 4000;
const LONGEST_SUBJECT = 120;
/** Lines that tools add: who signed, who reviewed, which machine. They name people and not things. */
const TRAILER = /^[A-Za-z-]+-by: .*$/gm;

/**
 * Brings what is known of past commits to the commit `to`: what pushes added goes before what was known; all is read
 * anew where commits were lost. Nothing when it is at that commit already.
 * @throws GitError, or what the disk says: the former history stays
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
      ? told(await readCommitLog(gitDir, { to, most: MOST_COMMITS }, signal))
      : [...told(added), ...known.commits];
  writeHistory(folder, { commit: to, commits: newestWithin(commits.slice(0, MOST_COMMITS)) });
}

/** The newest commits whose paths fit: whoever has the history open holds all of them in memory. */
function newestWithin(commits: readonly PastCommit[]): PastCommit[] {
  const paths = new Set<string>();
  let length = 0;
  const end = commits.findIndex((commit) => {
    for (const path of commit.paths) {
      if (!paths.has(path)) length += path.length;
      paths.add(path);
    }
    return length > MOST_PATH_LENGTH;
  });
  return commits.slice(0, end < 0 ? commits.length : end);
}

/** `undefined` where the commit that was known is gone, too. */
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

function told(commits: readonly LoggedCommit[]): PastCommit[] {
  return commits.filter(isTelling).map(pastCommit);
}

function isTelling({ paths }: LoggedCommit): boolean {
  return paths.length > 0 && paths.length <= MOST_PATHS;
}

function pastCommit({ id, time, message, paths }: LoggedCommit): PastCommit {
  const text = message.slice(0, LONGEST_MESSAGE).replace(TRAILER, '');
  const subject = text.trimStart().split('\n', 1)[0]!.replace(/\p{C}/gu, ' ').slice(0, LONGEST_SUBJECT);
  return { id, time, subject, terms: Uint32Array.from(wordsOf(text).keys()), paths };
}
