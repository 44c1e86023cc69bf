import { OAuthError } from '../../../features/oauth/oauth-error.ts';
import type { OAuthPages } from '../../../features/oauth/pages.ts';
import {
  MethodNotAllowed,
  type OrgctxError,
  RateLimited,
  TooLarge,
  Unavailable,
} from '../../../foundation/kernel/errors.ts';
import { retryAfterOf } from '../../fastify/retry-after.ts';

export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Creates the response to a request that is refused before the authorization server handles it: JSON for OAuth
 * clients (RFC 6749 section 5.2), or a page for people if `drawError` is given.
 * @param error `undefined` for an internal error
 */
export function oauthAnswer(error: OrgctxError | undefined, drawError?: OAuthPages['error']): OAuthAnswer {
  const status = error?.status ?? 500;
  const message = error?.message ?? 'The service failed to process the request. Try again later.';
  const page = drawError?.({ title: titleOf(status), message });
  return {
    status,
    headers: {
      ...headersOf(error),
      'cache-control': 'no-store',
      'content-type': `${page === undefined ? 'application/json' : 'text/html'}; charset=utf-8`,
    },
    body: page ?? JSON.stringify({ error: nameOf(error), error_description: message }),
  };
}

/**
 * Returns the OAuth error code. RFC 6749 has none for too many requests; `temporarily_unavailable` is the closest.
 */
function nameOf(error: OrgctxError | undefined): string {
  if (error instanceof OAuthError) return error.code;
  if (error instanceof RateLimited || error instanceof Unavailable) return 'temporarily_unavailable';
  return error === undefined || error.status >= 500 ? 'server_error' : 'invalid_request';
}

function titleOf(status: number): string {
  if (status === 429) return 'Too many requests';
  return status >= 500 ? 'Something went wrong' : 'This authorization cannot continue';
}

function headersOf(error: OrgctxError | undefined): Readonly<Record<string, string>> {
  if (error instanceof MethodNotAllowed) return { allow: error.allow.join(', ') };
  // The rest of the body is not read, so the connection cannot be reused.
  if (error instanceof TooLarge) return { connection: 'close' };
  const wait = retryAfterOf(error);
  return wait === undefined ? {} : { 'retry-after': wait };
}
