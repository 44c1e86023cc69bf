import type { FastifyRequest } from 'fastify';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';

/**
 * Names of query parameters that are refused. RFC 6750 section 2.3 allows `access_token`; the specification does not
 * (MCP endpoint, rule 6).
 */
const tokenNames: ReadonlySet<string> = new Set([
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'token',
  'bearer',
  'authorization',
  'jwt',
  'apikey',
  'clientsecret',
]);

/** Matches an API key anywhere in the URL, under any parameter name. */
const apiKey = /ock_[\w-]{40,}/;

/**
 * Refuses a credential in the query of any route, because URLs are stored in browser histories and proxy logs.
 * @throws InvalidInput `token_in_url`, without the value
 */
export async function refuseTokenInUrl(request: FastifyRequest): Promise<void> {
  const names = Object.keys(request.query as Record<string, unknown>);
  if (!names.some((name) => tokenNames.has(plain(name))) && !apiKey.test(request.url)) return;
  throw new InvalidInput(
    'A token must not be part of the URL. Send it in the header "Authorization: Bearer <token>", and replace the token, ' +
      'because it may already be in logs.',
    { code: 'token_in_url' },
  );
}

/**
 * Normalizes a parameter name: `Access-Token[]`, `accessToken` and `access_token.x` are the same to lenient parsers.
 */
function plain(name: string): string {
  const [first = ''] = name.split(/[[.;=?\0]/, 1);
  return first.toLowerCase().replace(/[^a-z]/g, '');
}
