import { isDiskFull } from '../../foundation/kernel/error-code.ts';
import { OrgctxError, Unavailable } from '../../foundation/kernel/errors.ts';
import { errorOfFramework } from '../fastify/framework-error.ts';

/** Converts a thrown value to an `OrgctxError`; `undefined` for an internal error. */
export function errorOf(error: unknown): OrgctxError | undefined {
  if (error instanceof OrgctxError) return error;
  if (isDiskFull(error)) {
    return new Unavailable(
      'disk_full',
      'The disk of the code search service is full. Free some space; the work is retried automatically.',
      { cause: error, retryAfter: 60 },
    );
  }
  return errorOfFramework(error);
}
