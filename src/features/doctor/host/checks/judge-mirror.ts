import { counted } from '../../../../foundation/kernel/text/counted.ts';
import type { MirrorStatus } from '../../../mirror/mirror-target-store.ts';
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
      `${counted(waiting, 'file waits', 'files wait')} because the Git host refuses. ${reasons.join(' ')}`,
      'Fix the reported problem. The next attempt follows within 15 minutes, or at once by "orgctx connector sync NAME". No change is lost meanwhile.',
      evidence,
    );
  }
  if (oldestMs > overdueMs) {
    return warning(
      `A file has been waiting to be committed for ${counted(Math.round(oldestMs / 60_000), 'minute')}.`,
      'Check that a worker runs, and search its log for "mirror-commit".',
      evidence,
    );
  }
  return pass(
    waiting === 0
      ? 'All files are committed.'
      : `${counted(waiting, 'file waits', 'files wait')} to be committed.`,
    evidence,
  );
}
