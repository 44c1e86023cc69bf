import { Unavailable } from '../../../foundation/kernel/errors.ts';

/** The error of a process whose tables another version of the program has replaced. */
export function rebuilding(cause?: unknown): Unavailable {
  return new Unavailable(
    'graph_rebuilding',
    'The knowledge graph is being rebuilt by another version of orgctx. Restart this process with the same version.',
    { cause, retryAfter: 60 },
  );
}
