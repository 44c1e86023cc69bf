import { isDiskFull } from '../../foundation/kernel/error-code.ts';
import { OrgctxError, Unavailable } from '../../foundation/kernel/errors.ts';
import { faultOfFramework } from '../fastify/framework-fault.ts';

/** What was thrown as an error of ours; `undefined` for a fault that nobody outside can do anything about. */
export function faultOf(error: unknown): OrgctxError | undefined {
  if (error instanceof OrgctxError) return error;
  if (isDiskFull(error)) {
    return new Unavailable(
      'disk_full',
      'The disk of the code search service is full. Make room; the work goes on by itself.',
      { cause: error, retryAfter: 60 },
    );
  }
  return faultOfFramework(error);
}
