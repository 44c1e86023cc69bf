import { systemClock } from '../../../../foundation/kernel/clock.ts';
import { InvalidInput, Unavailable } from '../../../../foundation/kernel/errors.ts';
import type {
  ConnectorOauth,
  ConnectorSetup,
  ProviderAccount,
  ProviderContext,
  ProviderTokens,
} from '../../port.ts';
import { createRateBudget } from '../client/rate-budget.ts';
import { listScopeOptions } from '../client/scope-options.ts';
import { openTrackerClient, type TrackerClient, type Viewer } from '../client/tracker-client.ts';
import { providerUrl } from './provider-urls.ts';

const oauth: ConnectorOauth = {
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
    return accountOf(await clientOf(tokens, context).viewer(context), context.values);
  },

  async revoke({ accessToken, refreshToken }, context) {
    // The access token may have expired; the refresh token stands for the whole authorization.
    for (const token of [refreshToken, accessToken])
      if (token !== undefined) await revokeToken(token, context);
  },
};

/** The setup of a tracker connection: its account and its scope. */
export const trackerSetup: ConnectorSetup = {
  oauth,
  scopeOptions: (request, tokens, context) =>
    listScopeOptions(clientOf(tokens, context), request, context.signal),
};

/** Returns the workspace of a viewer. */
export function accountOf({ organization }: Viewer, values: ProviderContext['values']): ProviderAccount {
  const { origin } = new URL(providerUrl(values, 'TRACKER_AUTHORIZE_URL'));
  return { id: organization.id, name: organization.name, url: `${origin}/${organization.urlKey}` };
}

function clientOf({ accessToken }: ProviderTokens, { http, values }: ProviderContext): TrackerClient {
  return openTrackerClient({
    apiUrl: providerUrl(values, 'TRACKER_API_URL'),
    http,
    budget: createRateBudget(systemClock),
    accessToken: () => Promise.resolve(accessToken),
  });
}

/**
 * The provider reads the token from the header or the form, depending on its version. It answers 4xx for unknown ones.
 */
async function revokeToken(token: string, { http, values, signal }: ProviderContext): Promise<void> {
  const { status } = await http.request({
    url: providerUrl(values, 'TRACKER_REVOKE_URL'),
    destination: 'operator',
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ token }).toString(),
    signal,
  });
  if (status !== 429 && status < 500) return;
  throw new Unavailable(
    'tracker_unavailable',
    `The tracker did not revoke the authorization (HTTP ${status}). Try again later; jobs do so by themselves.`,
  );
}
