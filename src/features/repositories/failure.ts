import { isPermanent } from '../../foundation/jobs/verdict.ts';
import { OrgctxError } from '../../foundation/kernel/errors.ts';
import type { RepositoryError } from './repository.ts';

export interface Failure {
  /** For the record: only what is public. */
  readonly error: RepositoryError;
  /** False when trying again may help. */
  readonly permanent: boolean;
}

export function describeFailure(error: unknown): Failure {
  if (!(error instanceof OrgctxError)) {
    const message =
      'An unexpected fault stopped the work; the log of the worker says more. Sync the repository to try again.';
    return { error: { code: 'internal', message }, permanent: false };
  }
  return { error: { code: error.code, message: error.message }, permanent: isPermanent(error) };
}
