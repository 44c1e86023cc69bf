import { isObjectId } from '../commit-id.ts';
import { GitError } from '../git-error.ts';

/** What stands before the pack of a bundle (gitformat-bundle(5)). */
export interface BundleHeader {
  /** Commits that the receiver must have. None: the bundle is complete in itself. */
  readonly prerequisites: readonly string[];
  /** Commits that it brings. What the bundle calls them is nobody's concern. */
  readonly tips: readonly string[];
}

/** Bytes; a bundle of ours has at most some hundred lines. */
export const longestBundleHeader = 256 * 1024;

const firstLines = {
  sha1: '# v2 git bundle\n',
  sha256: '# v3 git bundle\n@object-format=sha256\n',
} as const;

export function printBundleHeader({ prerequisites, tips }: BundleHeader): string {
  const format = tips.some((tip) => tip.length === 64) ? 'sha256' : 'sha1';
  return [
    firstLines[format],
    ...prerequisites.map((commit) => `-${commit} \n`),
    ...tips.map((commit, index) => `${commit} refs/orgctx/tips/${index}\n`),
    '\n',
  ].join('');
}

/**
 * Reads the header from the first bytes of a bundle. @throws GitError `damaged` for what is no bundle, or one of a kind
 * that is not taken: with filters, or without an end of its header in `longestBundleHeader` bytes.
 */
export function parseBundleHeader(begin: Buffer): BundleHeader {
  const text = begin.toString('latin1', 0, longestBundleHeader);
  const end = text.indexOf('\n\n');
  const first = Object.values(firstLines).find((line) => text.startsWith(line));
  if (end === -1 || first === undefined) throw noBundle();
  const digits = first === firstLines.sha256 ? 64 : 40;
  const lines = text.slice(first.length, end).split('\n').filter(Boolean);
  const commits = lines.map((line) => {
    const commit = /^-?([\da-f]+)(?: |$)/.exec(line)?.[1] ?? '';
    if (!isObjectId(commit) || commit.length !== digits) throw noBundle();
    return { commit, required: line.startsWith('-') };
  });
  const those = (required: boolean): string[] =>
    commits.filter((one) => one.required === required).map(({ commit }) => commit);
  return { prerequisites: those(true), tips: those(false) };
}

function noBundle(): GitError {
  return new GitError('damaged', 'What arrived is no Git bundle that can be read.');
}
