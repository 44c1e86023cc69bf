import { isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import { explainDiskFull, OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { RepositoryError } from '../repository.ts';

/** A failure as the record of the repository stores it. */
export interface Failure {
  /** Error for the record; contains only public text. */
  readonly error: RepositoryError;
  /** False if a retry may succeed. */
  readonly permanent: boolean;
}

/** Converts an error to a failure. */
export function describeFailure(thrown: unknown): Failure {
  const error = explainDiskFull(thrown);
  if (!(error instanceof OrgctxError)) {
    const message =
      'An unexpected error stopped the work; the log of the worker contains it. Sync the repository to try again.';
    return { error: { code: 'internal', message }, permanent: false };
  }
  return { error: { code: error.code, message: error.message }, permanent: isPermanent(error) };
}
