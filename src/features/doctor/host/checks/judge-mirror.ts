import type { MirrorStatus } from '../../../mirror/mirror-status.ts';
import { type CheckOutcome, pass, warning } from '../check.ts';

/**
 * Maximum wait of a rendered file, in milliseconds. Usually seconds; an unreachable host or a long import takes
 * longer.
 */
const overdueMs = 30 * 60_000;

/** Maximum number of targets named in the report. */
const maxNamed = 3;

export function judgeMirror({ waiting, bytes, oldestMs, refused }: MirrorStatus): CheckOutcome {
  const evidence = { waiting, bytes, oldestMs, refused: refused.length };
  if (refused.length > 0) {
    const reasons = refused
      .slice(0, maxNamed)
      .map(({ source, branch, error }) => `${source} (${branch}): ${error?.message ?? ''}`);
    return warning(
      `${waiting} files are waiting because the Git host refuses them. ${reasons.join(' ')}`,
      'Fix the reported problem, then run "orgctx jobs retry --all --task mirror-commit". No change is lost meanwhile.',
      evidence,
    );
  }
  if (oldestMs > overdueMs) {
    return warning(
      `A file has been waiting to be committed for ${Math.round(oldestMs / 60_000)} minutes.`,
      'Check that a worker runs, and search its log for "mirror-commit".',
      evidence,
    );
  }
  return pass(
    waiting === 0 ? 'All files are committed.' : `${waiting} files are waiting to be committed.`,
    evidence,
  );
}
