import { InvalidInput, OrgctxError, Unavailable } from '../../../foundation/kernel/errors.ts';
import type { WebhookTolerance } from '../port.ts';

/** The sender has not proved, or not recently, that it has the secret. It cannot sign in, so there is no challenge. */
export class WebhookRefused extends OrgctxError {
  readonly status = 401;

  constructor(code: 'signature_invalid' | 'timestamp_stale', publicMessage: string) {
    super(code, publicMessage);
  }
}

export function signatureInvalid(): WebhookRefused {
  return new WebhookRefused(
    'signature_invalid',
    'The signature is missing or wrong: it must be the HMAC-SHA256 of the body exactly as sent, in lower-case hex, with ' +
      'the signing secret that is saved here. A proxy that rewrites bodies breaks it.',
  );
}

export function timestampStale({ pastMs, futureMs }: WebhookTolerance): WebhookRefused {
  return new WebhookRefused(
    'timestamp_stale',
    `The event must be signed at most ${pastMs / 1_000} seconds before and ${futureMs / 1_000} seconds after the time of ` +
      'this host: check its clock.',
  );
}

/** Values of `Retry-After`, in seconds. */
const retryAfter = { overloaded: 5, failed: 30, misconfigured: 60 } as const;

export function secretMissing(): Unavailable {
  return new Unavailable(
    'webhook_secret_missing',
    'No signing secret is saved for this sender. Save one with the connection, or set the deployment secret.',
    { retryAfter: retryAfter.misconfigured },
  );
}

export function secretUnreadable(connectionIds: readonly string[], cause: unknown): Unavailable {
  const message = 'A saved signing secret cannot be read. The log contains the reason.';
  const details = { retryAfter: retryAfter.misconfigured, detail: { connectionIds }, cause };
  return new Unavailable('secret_unreadable', message, details);
}

export function overloaded(reason: string): Unavailable {
  return new Unavailable('overloaded', `${reason}. Deliver the webhook again later.`, {
    retryAfter: retryAfter.overloaded,
  });
}

/** Wraps an internal error that has no code of its own; the provider must deliver again (contract section 3). */
export function notStored(cause: unknown): Unavailable {
  return new Unavailable('unavailable', 'The webhook could not be stored. Deliver it again.', {
    retryAfter: retryAfter.failed,
    cause,
  });
}

/** Returns the outcome of a refused webhook in the metrics. */
export function outcomeOf(error: OrgctxError): 'overloaded' | 'rejected' | 'failed' {
  if (error.code === 'overloaded') return 'overloaded';
  const hasNoSecret = error.code === 'webhook_secret_missing' || error.code === 'secret_unreadable';
  const isRejected = hasNoSecret || error instanceof WebhookRefused || error instanceof InvalidInput;
  return isRejected ? 'rejected' : 'failed';
}
