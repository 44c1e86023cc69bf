import { isObjectId } from '../objects/commit-id.ts';
import { GitError } from '../process/git-error.ts';

/** The header of a bundle, which precedes its pack (gitformat-bundle(5)). */
export interface BundleHeader {
  /** Commits that the receiver must already have. Empty for a complete bundle. */
  readonly prerequisites: readonly string[];
  /** Commits that the bundle contains. Their ref names in the bundle are ignored. */
  readonly tips: readonly string[];
}

/** Maximum size of a header, in bytes. Bundles of this program have at most some hundred lines. */
export const maxBundleHeaderLength = 256 * 1024;

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
 * Parses the header from the first bytes of a bundle.
 * @throws GitError `damaged` for data that is not a bundle, and for an unsupported one: with filters, or with a
 * header longer than `maxBundleHeaderLength` bytes.
 */
export function parseBundleHeader(begin: Buffer): BundleHeader {
  const text = begin.toString('latin1', 0, maxBundleHeaderLength);
  const end = text.indexOf('\n\n');
  const first = Object.values(firstLines).find((line) => text.startsWith(line));
  if (end === -1 || first === undefined) throw notABundle();
  const digits = first === firstLines.sha256 ? 64 : 40;
  const lines = text.slice(first.length, end).split('\n').filter(Boolean);
  const commits = lines.map((line) => {
    const commit = /^-?([\da-f]+)(?: |$)/.exec(line)?.[1] ?? '';
    if (!isObjectId(commit) || commit.length !== digits) throw notABundle();
    return { commit, required: line.startsWith('-') };
  });
  const commitsWhere = (required: boolean): string[] =>
    commits.filter((one) => one.required === required).map(({ commit }) => commit);
  return { prerequisites: commitsWhere(true), tips: commitsWhere(false) };
}

function notABundle(): GitError {
  return new GitError('damaged', 'The received data is not a readable Git bundle.');
}
