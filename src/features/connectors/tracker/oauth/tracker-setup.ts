import { systemClock } from '../../../../foundation/kernel/clock.ts';
import { ExternalServiceError, InvalidInput, Unavailable } from '../../../../foundation/kernel/errors.ts';
import type {
  Connector,
  ConnectorOauth,
  ProviderAccount,
  ProviderContext,
  ProviderTokens,
  ScopeOptionPage,
  ScopeOptionsRequest,
} from '../../port.ts';
import { type ScopeKind, scopeKinds } from '../client/queries.ts';
import { createRateBudget } from '../client/send-query.ts';
import { openTrackerClient, type TrackerClient, type Viewer } from '../client/tracker-client.ts';
import { providerUrl } from '../settings.ts';

/** The account of a tracker connection. */
export const trackerOauth: ConnectorOauth = {
  endpoints: (values) => ({
    authorize: providerUrl(values, 'TRACKER_AUTHORIZE_URL'),
    token: providerUrl(values, 'TRACKER_TOKEN_URL'),
  }),
  // `consent` shows the page although the app was authorized before, so that another workspace can be chosen.
  parameters: { scope: 'read', actor: 'user', prompt: 'consent' },
  exclusiveAccount: false,

  async readAccount(tokens, context) {
    // The scopes of a reply are separated by commas or spaces.
    if (tokens.scope !== undefined && !tokens.scope.split(/[\s,]+/).includes('read')) {
      throw new InvalidInput(
        'The tracker granted no access to read. Authorize again, and allow the application to read the workspace.',
      );
    }
    return accountOf(await clientOf(tokens, context).viewer(), context.values);
  },

  // The access token ends the whole authorization while it is valid, the refresh token does so afterwards.
  async revoke({ accessToken, refreshToken }, context) {
    let status = await revokeToken({ access_token: accessToken }, context);
    let text = `access token: HTTP ${status}`;
    if (status !== 200 && refreshToken !== undefined) {
      status = await revokeToken({ refresh_token: refreshToken }, context);
      text += `; refresh token: HTTP ${status}`;
    }
    if (revocationAnswers.has(status)) return text;
    throw new ExternalServiceError(
      'tracker',
      `The tracker did not revoke the authorization (${text}). Remove the application on the pages of the tracker.`,
      { retryable: false },
    );
  },
};

/** Returns the workspace of a viewer. */
export function accountOf({ organization }: Viewer, values: ProviderContext['values']): ProviderAccount {
  const { origin } = new URL(providerUrl(values, 'TRACKER_AUTHORIZE_URL'));
  return { id: organization.id, name: organization.name, url: `${origin}/${organization.urlKey}` };
}

function clientOf({ accessToken }: ProviderTokens, { http, values, signal }: ProviderContext): TrackerClient {
  return openTrackerClient({
    apiUrl: providerUrl(values, 'TRACKER_API_URL'),
    http,
    budget: createRateBudget(systemClock),
    accessToken: () => Promise.resolve(accessToken),
    signal,
  });
}

/** The documented answers: revoked, revoked before, and a token that opens nothing. */
const revocationAnswers: ReadonlySet<number> = new Set([200, 400, 401]);

/** Names a token in the form field of its kind. Returns the status of the answer. @throws Unavailable */
async function revokeToken(
  form: { readonly access_token: string } | { readonly refresh_token: string },
  { http, values, signal }: ProviderContext,
): Promise<number> {
  const { status } = await http.request({
    url: providerUrl(values, 'TRACKER_REVOKE_URL'),
    destination: 'operator',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...form }).toString(),
    signal,
  });
  if (status !== 429 && status < 500) return status;
  throw new Unavailable(
    'tracker_unavailable',
    `The tracker did not revoke the authorization (HTTP ${status}). Try again later; jobs do so by themselves.`,
  );
}

export const trackerScopeOptions: Connector['scopeOptions'] = (request, tokens, context) =>
  listScopeOptions(clientOf(tokens, context), request);

/**
 * Returns a page of the teams, projects and labels, in this order. A cursor is the kind and the provider's cursor.
 * @internal Tests call it alone.
 */
export async function listScopeOptions(
  client: TrackerClient,
  { query, cursor, limit }: ScopeOptionsRequest,
): Promise<ScopeOptionPage> {
  const [kind, after] = positionOf(cursor);
  const filter = query === undefined || query === '' ? {} : { name: { containsIgnoreCase: query } };
  const page = await client.scopeOptions(kind, { filter, cursor: after, limit });
  const nextKind = scopeKinds[scopeKinds.indexOf(kind) + 1];
  const nextCursor = page.nextCursor === undefined ? nextKind : `${kind}:${page.nextCursor}`;
  if (page.items.length === 0 && nextCursor !== undefined)
    return listScopeOptions(client, { query, cursor: nextCursor, limit });
  const items = page.items.map(({ key, slugId, ...option }) => ({ ...option, kind, key: key ?? slugId }));
  return { items, nextCursor };
}

function positionOf(cursor: string | undefined): [ScopeKind, string | undefined] {
  const [name, ...rest] = (cursor ?? scopeKinds[0]!).split(':');
  const kind = scopeKinds.find((one) => one === name);
  if (kind === undefined)
    throw new InvalidInput('The cursor is not one of this list. Start at the first page.');
  return [kind, rest.length === 0 ? undefined : rest.join(':')];
}
