import {
  type ErrorDetails,
  InvalidInput,
  OrgctxError,
  Unavailable,
} from '../../../foundation/kernel/errors.ts';

/** The sender has not shown that it holds the secret, or not now: nobody to sign in, so no challenge. */
export class WebhookRefused extends OrgctxError {
  readonly status = 401;

  constructor(code: 'signature_invalid' | 'timestamp_stale', publicMessage: string, options?: ErrorDetails) {
    super(code, publicMessage, options);
  }
}

export function signatureInvalid(): WebhookRefused {
  return new WebhookRefused(
    'signature_invalid',
    'The signature is missing or wrong: it must be the HMAC-SHA256 of the body exactly as sent, in lower-case hex, with ' +
      'the signing secret that is saved here. A proxy that rewrites bodies breaks it.',
  );
}

export function timestampStale(toleranceMs: number): WebhookRefused {
  return new WebhookRefused(
    'timestamp_stale',
    `The event was not signed within ${toleranceMs / 1_000} seconds of now: check the clock of this host.`,
  );
}

/** Seconds after which a provider may come back. */
const retryAfter = { overloaded: 5, failed: 30, misconfigured: 60 } as const;

export function secretMissing(): Unavailable {
  return new Unavailable(
    'webhook_secret_missing',
    'No signing secret is saved for this sender: save one with the connection, or set the deployment secret.',
    { retryAfter: retryAfter.misconfigured },
  );
}

export function secretUnreadable(connectionIds: readonly string[], cause: unknown): Unavailable {
  return new Unavailable('secret_unreadable', 'A saved signing secret cannot be read: the log says why.', {
    retryAfter: retryAfter.misconfigured,
    detail: { connectionIds },
    cause,
  });
}

export function overloaded(what: string): Unavailable {
  return new Unavailable('overloaded', `${what}: deliver again a little later.`, {
    retryAfter: retryAfter.overloaded,
  });
}

/** A fault of ours that has no name of its own: the provider shall come again (contract section 3). */
export function notStored(cause: unknown): Unavailable {
  return new Unavailable('unavailable', 'The webhook could not be stored: deliver it again.', {
    retryAfter: retryAfter.failed,
    cause,
  });
}

/** What a refusal counts as in the metrics. */
type RefusedOutcome = 'overloaded' | 'rejected' | 'failed';

const rejections: ReadonlySet<string> = new Set(['webhook_secret_missing', 'secret_unreadable']);

export function outcomeOf(fault: OrgctxError): RefusedOutcome {
  if (fault.code === 'overloaded') return 'overloaded';
  const rejected = fault instanceof WebhookRefused || fault instanceof InvalidInput;
  return rejected || rejections.has(fault.code) ? 'rejected' : 'failed';
}
