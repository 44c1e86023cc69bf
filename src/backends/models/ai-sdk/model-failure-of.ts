import { OutboundError } from '../../../foundation/net/outbound-error.ts';
import { ModelFailure, type ModelFailureReason } from '../port.ts';
import { providerMessage, saysTooLong } from './provider-words.ts';

/** Maximum number of causes that are followed. */
const maxCauses = 8;

/**
 * Converts an error of the SDK. Of its texts only the words of the provider are kept, without keys: the others repeat
 * the request.
 */
export function modelFailureOf(error: unknown, key: string | undefined): ModelFailure {
  let status: number | undefined;
  let body = '';
  let cause = error;
  for (let depth = 0; depth < maxCauses && typeof cause === 'object' && cause !== null; depth++) {
    if (cause instanceof ModelFailure) return cause;
    if (cause instanceof OutboundError) return new ModelFailure(reasonOf(cause), { outbound: cause });
    if (status === undefined && 'statusCode' in cause && typeof cause.statusCode === 'number') {
      status = cause.statusCode;
      body = 'responseBody' in cause && typeof cause.responseBody === 'string' ? cause.responseBody : '';
    }
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  if (status === undefined || status < 400) return new ModelFailure('invalid');
  return new ModelFailure(reasonOfStatus(status, body), { status, said: providerMessage(body, key) });
}

/**
 * Returns the failure that an event of a stream says, `undefined` if it says none. Services send an object `error`,
 * also beside a part of the text, or are themselves an object of the kind `error`.
 */
export function failureIn(event: unknown, key: string | undefined): ModelFailure | undefined {
  if (typeof event !== 'object' || event === null) return undefined;
  const { error, object } = event as { readonly error?: unknown; readonly object?: unknown };
  if (!error && object !== 'error') return undefined;
  const body = JSON.stringify(event);
  return new ModelFailure(saysTooLong(body) ? 'too_long' : 'failed', { said: providerMessage(body, key) });
}

function reasonOf({ reason }: OutboundError): ModelFailureReason {
  if (reason === 'timeout') return 'timeout';
  return reason === 'too_large' || reason === 'protocol' ? 'invalid' : 'unreachable';
}

/** Statuses that say nothing about the length of a request, whatever words are beside them. */
const aboutAccess = new Set([401, 402, 403, 404]);

function reasonOfStatus(status: number, body: string): ModelFailureReason {
  if (status === 413 || (!aboutAccess.has(status) && saysTooLong(body))) return 'too_long';
  if (status === 429) return 'rate_limited';
  return status >= 500 || status === 408 ? 'failed' : 'refused';
}
