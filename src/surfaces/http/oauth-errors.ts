import { OAuthFault } from '../../features/oauth/oauth-fault.ts';
import type { OAuthPages } from '../../features/oauth/pages.ts';
import {
  MethodNotAllowed,
  type OrgctxError,
  RateLimited,
  TooLarge,
  Unavailable,
} from '../../foundation/kernel/errors.ts';
import { retryAfterOf } from '../fastify/retry-after.ts';

export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What is refused before the authorization server answers, in the form that OAuth clients read (RFC 6749 section 5.2),
 * or as a page where `drawError` is given: people read no JSON.
 * @param fault `undefined` for what is a fault of ours
 */
export function oauthAnswer(fault: OrgctxError | undefined, drawError?: OAuthPages['error']): OAuthAnswer {
  const status = fault?.status ?? 500;
  const message = fault?.message ?? 'The service could not do this. Try again later.';
  const page = drawError?.({ title: titleOf(status), message });
  return {
    status,
    headers: {
      ...headersOf(fault),
      'cache-control': 'no-store',
      'content-type': `${page === undefined ? 'application/json' : 'text/html'}; charset=utf-8`,
    },
    body: page ?? JSON.stringify({ error: nameOf(fault), error_description: message }),
  };
}

/** What clients know it by. RFC 6749 has no word for too many requests: this one says that it will pass. */
function nameOf(fault: OrgctxError | undefined): string {
  if (fault instanceof OAuthFault) return fault.code;
  if (fault instanceof RateLimited || fault instanceof Unavailable) return 'temporarily_unavailable';
  return fault === undefined || fault.status >= 500 ? 'server_error' : 'invalid_request';
}

function titleOf(status: number): string {
  if (status === 429) return 'Too many requests';
  return status >= 500 ? 'Something went wrong' : 'This authorization cannot go on';
}

function headersOf(fault: OrgctxError | undefined): Readonly<Record<string, string>> {
  if (fault instanceof MethodNotAllowed) return { allow: fault.allow.join(', ') };
  // What is left of the body is not read, so nothing else can come over this connection.
  if (fault instanceof TooLarge) return { connection: 'close' };
  const wait = retryAfterOf(fault);
  return wait === undefined ? {} : { 'retry-after': wait };
}
