import { OutboundError } from '../../../foundation/net/outbound-error.ts';
import { ModelFailure, type ModelFailureReason } from '../port.ts';

/** Maximum number of causes that are followed. */
const maxCauses = 8;

/** Converts an error of the SDK. Its texts are dropped, because they repeat the request and the response. */
export function modelFailureOf(error: unknown): ModelFailure {
  let status: number | undefined;
  let cause = error;
  for (let depth = 0; depth < maxCauses && typeof cause === 'object' && cause !== null; depth++) {
    if (cause instanceof ModelFailure) return cause;
    if (cause instanceof OutboundError) return new ModelFailure(reasonOf(cause));
    if (status === undefined && 'statusCode' in cause && typeof cause.statusCode === 'number')
      status = cause.statusCode;
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return status === undefined || status < 400
    ? new ModelFailure('invalid')
    : new ModelFailure(reasonOfStatus(status), status);
}

function reasonOf({ reason }: OutboundError): ModelFailureReason {
  if (reason === 'timeout') return 'timeout';
  return reason === 'too_large' || reason === 'protocol' ? 'invalid' : 'unreachable';
}

function reasonOfStatus(status: number): ModelFailureReason {
  if (status === 429) return 'rate_limited';
  return status >= 500 || status === 408 ? 'failed' : 'refused';
}
