import type { FastifyRequest } from 'fastify';
import { InvalidInput } from '../../foundation/kernel/errors.ts';

/** RFC 6750 section 2.3 allows `access_token` in a query; the specification does not (MCP endpoint, rule 6). */
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

/** An API key under whatever name, and in whatever a lenient reader would take for a query. */
const apiKey = /ock_[\w-]{40,}/;

/**
 * Refuses a credential in the query of any route: URLs end up in histories and in the logs of proxies.
 * @throws InvalidInput `token_in_url`; the value goes nowhere.
 */
export async function refuseTokenInUrl(request: FastifyRequest): Promise<void> {
  const names = Object.keys(request.query as Record<string, unknown>);
  if (!names.some((name) => tokenNames.has(plain(name))) && !apiKey.test(request.url)) return;
  throw new InvalidInput(
    'A token must not be part of the URL: send the header "Authorization: Bearer <token>", and replace the token, ' +
      'since it may be in logs by now.',
    { code: 'token_in_url' },
  );
}

/** `Access-Token[]`, `accessToken` and `access_token.x` are one name to a lenient reader. */
function plain(name: string): string {
  const [first = ''] = name.split(/[[.;=?\0]/, 1);
  return first.toLowerCase().replace(/[^a-z]/g, '');
}
