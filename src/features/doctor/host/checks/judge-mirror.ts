import type { MirrorStatus } from '../../../mirror/mirror-status.ts';
import { type CheckOutcome, pass, warning } from '../check.ts';

/** What is rendered is pushed within seconds; a host that is away, or a long import, may take longer. */
const lateMs = 30 * 60_000;

/** Named in the report; the count says how many there are. */
const named = 3;

export function judgeMirror({ waiting, bytes, oldestMs, refused }: MirrorStatus): CheckOutcome {
  const evidence = { waiting, bytes, oldestMs, refused: refused.length };
  if (refused.length > 0) {
    const reasons = refused
      .slice(0, named)
      .map(({ source, branch, error }) => `${source} (${branch}): ${error?.message ?? ''}`);
    return warning(
      `${waiting} files wait, and the Git host does not take them. ${reasons.join(' ')}`,
      'Mend what is said, then run "orgctx jobs retry --all --task mirror-commit"; nothing is lost meanwhile.',
      evidence,
    );
  }
  if (oldestMs > lateMs) {
    return warning(
      `A file has waited to be committed for ${Math.round(oldestMs / 60_000)} minutes.`,
      'See that a worker runs and what its log says of "mirror-commit".',
      evidence,
    );
  }
  return pass(
    waiting === 0 ? 'Everything is committed.' : `${waiting} files wait to be committed.`,
    evidence,
  );
}
