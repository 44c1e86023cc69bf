import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import type { ConnectorOauth, ProviderContext, ProviderTokens, ScopeOptionsRequest } from '../../port.ts';
import { isProviderError } from '../../sync/provider-error.ts';
import { maxOffset, type OncallClient, openOncallClient } from '../client/oncall-client.ts';
import { apiUrlOf, placeOf, providerValue, type Region } from '../settings.ts';

/** The scopes of the app (specification: registration). No others are ever asked for. */
const scopes = [
  'incidents.read',
  'services.read',
  'users.read',
  'webhook_subscriptions.read',
  'webhook_subscriptions.write',
] as const;

/** The account of an oncall connection. */
export const oncallOauth: ConnectorOauth = {
  endpoints: (values) => ({
    authorize: providerValue(values, 'ONCALL_AUTHORIZE_URL'),
    token: providerValue(values, 'ONCALL_TOKEN_URL'),
  }),
  parameters: { scope: scopes.join(' ') },
  exclusiveAccount: true,
  // The provider ends an authorization after a year, however often its tokens are replaced.
  lifetimeMs: 365 * 86_400_000,

  async readAccount(tokens, context) {
    checkScopes(tokens);
    const found = placeOf(await readHtmlUrl(tokens, context), context.values);
    // The API of the region must accept the tokens, too; the first answer may have been forwarded to it.
    const own = placeOf((await clientOf(found.region, tokens, context).me()).html_url, context.values);
    if (own.host !== found.host)
      throw new InvalidInput('The oncall provider named two accounts. Authorize again.');
    return { id: own.host, name: own.subdomain, url: `https://${own.host}` };
  },

  // The provider has no call that ends an authorization: people do so on its pages.
  async revoke(tokens, context) {
    const { account, webhooks = [], values } = context;
    if (account?.url !== undefined) {
      const client = clientOf(placeOf(account.url, values).region, tokens, context);
      for (const id of webhooks) await client.deleteSubscription(id);
    }
    return 'the provider has no call that ends an authorization';
  },
};

/** The provider leaves out what the app or the user may not have, without an error. */
function checkScopes({ scope = '' }: ProviderTokens): void {
  const granted = new Set(scope.split(/[\s,]+/));
  const missing = scopes.filter((name) => !granted.has(name));
  if (missing.length === 0) return;
  throw new InvalidInput(
    `The oncall provider did not grant ${missing.join(', ')}. Add them to the scopes of the app there, then authorize again.`,
  );
}

/** Asks both regions: only the region of the account accepts its tokens for certain. */
async function readHtmlUrl(tokens: ProviderTokens, context: ProviderContext): Promise<string> {
  try {
    return (await clientOf('us', tokens, context).me()).html_url;
  } catch (error) {
    if (!isProviderError(error, 'authentication')) throw error;
    return (await clientOf('eu', tokens, context).me()).html_url;
  }
}

/** Lists services. The cursor is the number of services before the page. */
export async function oncallScopeOptions(
  { query, cursor = '0', limit }: ScopeOptionsRequest,
  tokens: ProviderTokens,
  context: ProviderContext,
) {
  if (!/^\d{1,5}$/.test(cursor)) throw new InvalidInput('The cursor is not one of this list. Start again.');
  const offset = Number(cursor);
  const size = Math.min(limit, 100, maxOffset - offset);
  if (size < 1) return { items: [], nextCursor: undefined };
  if (context.account?.url === undefined)
    throw new InvalidInput('The account is not known. Authorize it again.');
  const { region } = placeOf(context.account.url, context.values);
  const client = clientOf(region, tokens, context);
  const { items, more } = await client.services({ query, offset, limit: size });
  return {
    items: items.map(({ id, name, summary, description }) => ({
      id,
      kind: 'service',
      name: name ?? summary ?? id,
      ...(description && { description }),
    })),
    nextCursor: more ? String(offset + items.length) : undefined,
  };
}

function clientOf(
  region: Region,
  tokens: ProviderTokens,
  { http, values, signal }: ProviderContext,
): OncallClient {
  const accessToken = () => Promise.resolve(tokens.accessToken);
  return openOncallClient({ apiUrl: apiUrlOf(region, values), http, accessToken, signal });
}
