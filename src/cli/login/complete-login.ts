import { sendWith } from '../remote/api-client.ts';
import { keyBearer } from '../remote/bearer.ts';
import { fetchCaller, type RemoteCaller } from '../remote/remote-caller.ts';
import type { LoginService } from './endpoints.ts';
import type { LoginStore, StoredLogin } from './stored-login.ts';
import { type LoginTokens, revokeLogin } from './tokens.ts';

/**
 * Proves that new tokens work and saves them as the login of their service; revokes the login that they replace.
 * `dataDir` is the data folder of a service of this host.
 */
export async function completeLogin(
  service: LoginService,
  store: LoginStore,
  tokens: LoginTokens,
  signal: AbortSignal,
  dataDir?: string,
): Promise<StoredLogin> {
  const login = {
    ...loginOf(tokens, await callerOf(service, tokens, signal)),
    ...(dataDir !== undefined && { dataDir }),
  };
  let former: StoredLogin | undefined;
  await store.change(service.baseUrl, async (current) => {
    former = current;
    return login;
  });
  if (former !== undefined) await revokeLogin(service, former.refreshToken, signal).catch(() => undefined);
  return login;
}

/**
 * Fetches the user and organization of the login, which also proves that the token works; revokes it if it does not.
 */
async function callerOf(
  service: LoginService,
  tokens: LoginTokens,
  signal: AbortSignal,
): Promise<RemoteCaller> {
  try {
    const send = sendWith(service.http, {
      baseUrl: service.baseUrl,
      bearer: keyBearer(tokens.accessToken),
      signal,
      advice: {},
    });
    return await fetchCaller(send, { baseUrl: service.baseUrl, org: undefined });
  } catch (error) {
    await revokeLogin(service, tokens.refreshToken, AbortSignal.timeout(5_000)).catch(() => undefined);
    throw error;
  }
}

function loginOf(tokens: LoginTokens, { user, organization, scopes }: RemoteCaller): StoredLogin {
  const { slug, name } = organization;
  return { ...tokens, scopes, email: user.email, organization: { slug, name } };
}
