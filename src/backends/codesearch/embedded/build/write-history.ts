import { type LoggedCommit, readCommitLog } from '../../../../foundation/git/commit-log.ts';
import type { IndexRequest } from '../../port.ts';
import { type PastCommit, readHistory, writeHistory } from '../format/history-file.ts';
import { wordsOf } from '../format/terms.ts';

/** Older ones say little about where things are by now. */
const MOST_COMMITS = 2000;
/** A commit that touches more says nothing about any of them: a move, a licence, a formatter. */
const MOST_PATHS = 50;
/** Characters. */
const LONGEST_MESSAGE = 4000;
const LONGEST_SUBJECT = 120;
/** Lines that tools add: who signed, who reviewed, which machine. They name people and not things. */
const TRAILER = /^[A-Za-z-]+-by: .*$/gm;

/**
 * Brings what is known of past commits to the default branch of `request`. Read anew as a whole, since Git lists two
 * thousand commits in a few tenths of a second; nothing when it is at that commit already.
 * @throws GitError, or what the disk says: the former history stays
 */
export async function updateHistory(
  folder: string,
  { gitDir, branches }: IndexRequest,
  signal: AbortSignal,
): Promise<void> {
  const { commit } = branches[0];
  if (readHistory(folder)?.commit === commit) return;
  const logged = await readCommitLog(gitDir, { to: commit, most: MOST_COMMITS }, signal);
  writeHistory(folder, { commit, commits: logged.filter(isTelling).map(pastCommit) });
}

function isTelling({ paths }: LoggedCommit): boolean {
  return paths.length > 0 && paths.length <= MOST_PATHS;
}

function pastCommit({ id, time, message, paths }: LoggedCommit): PastCommit {
  const text = message.slice(0, LONGEST_MESSAGE).replace(TRAILER, '');
  const subject = text.trimStart().split('\n', 1)[0]!.replace(/\p{C}/gu, ' ').slice(0, LONGEST_SUBJECT);
  return { id, time, subject, terms: Uint32Array.from(wordsOf(text).keys()), paths };
}
