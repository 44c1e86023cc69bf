import { NotConfigured } from '../../foundation/config/config-error.ts';
import { Forbidden, InvalidInput, Unauthenticated, Unavailable } from '../../foundation/kernel/errors.ts';
import { OutboundError } from '../../foundation/net/outbound-error.ts';
import { Interrupted, OutputClosed } from './interrupted.ts';
import { UsageError } from './usage-error.ts';

/** Exit codes of every command (contract section 1). */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notConfigured: 3,
  notAuthenticated: 4,
  unreachable: 5,
  timedOut: 7,
  interrupted: 130,
} as const;

/** Maps an error to an exit code. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof OutputClosed) return exitCodes.ok;
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof UsageError || error instanceof InvalidInput) return exitCodes.usage;
  if (error instanceof NotConfigured) return exitCodes.notConfigured;
  if (error instanceof Unauthenticated || error instanceof Forbidden) return exitCodes.notAuthenticated;
  if (isTimeout(error)) return exitCodes.timedOut;
  return isUnreachable(error) ? exitCodes.unreachable : exitCodes.failed;
}

function isUnreachable(error: unknown): boolean {
  return (
    error instanceof OutboundError || (error instanceof Unavailable && error.code === 'database_unreachable')
  );
}

function isTimeout(error: unknown): boolean {
  if (error instanceof OutboundError) return error.reason === 'timeout';
  // `AbortSignal.timeout` rejects with a DOMException of this name.
  return error instanceof Error && error.name === 'TimeoutError';
}
