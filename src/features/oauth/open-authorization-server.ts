import type { AuthorizationServer } from './authorization-server.ts';
import { type KeySet, loadKeySet } from './keys/key-set.ts';
import type { AuthorizationServerDeps, Endpoints } from './open-endpoints.ts';
import { accessTokenVerifier } from './verify-access-token.ts';

/** Interval between two reads of the keys, which another process may have created, in milliseconds. */
const keyReloadMs = 60_000;
/** Minimum interval between two reads because of an unknown key, in milliseconds, however many tokens name one. */
const minUnknownKeyReloadMs = 5_000;

/**
 * Opens the authorization server. Creates the first signing key if there is none. The library is loaded by the first
 * request that needs it: it would take a tenth of the start of `serve`, and many deployments use API keys only.
 */
export async function openAuthorizationServer(deps: AuthorizationServerDeps): Promise<AuthorizationServer> {
  const { database, sealer, clock, config, log } = deps;
  const keyDeps = { queries: database.queries, sealer, clock };
  let keySet = await loadKeySet(keyDeps, log);
  let unknownKeyReloadAt = 0;
  let opened: Promise<Endpoints> | undefined;
  const endpoints = async (): Promise<Endpoints> => {
    opened ??= import('./open-endpoints.ts').then(({ openEndpoints }) => openEndpoints(deps, () => keySet));
    try {
      return await opened;
    } catch (error) {
      // The next request tries again.
      opened = undefined;
      throw error;
    }
  };

  const reload = async (): Promise<void> => {
    const found = await loadKeySet(keyDeps, log);
    if (idsOf(found) !== idsOf(keySet)) keySet = found;
  };
  const timer = setInterval(() => {
    reload().catch((err: unknown) =>
      log.warn({ err }, 'reading signing keys failed; the loaded keys stay in use'),
    );
  }, keyReloadMs).unref();

  return {
    handle: async (...request) => (await endpoints()).handle(...request),
    metadata: async () => (await endpoints()).metadata(),
    pending: async (...request) => (await endpoints()).pending(...request),
    allow: async (...request) => (await endpoints()).allow(...request),
    deny: async (...request) => (await endpoints()).deny(...request),
    answered: async (...request) => (await endpoints()).answered(...request),
    enterDeviceCode: async (...request) => (await endpoints()).enterDeviceCode(...request),
    clientName: async (...request) => (await endpoints()).clientName(...request),
    pages: deps.pages,
    verifyAccessToken: accessTokenVerifier({
      queries: database.queries,
      clock,
      baseUrl: config.baseUrl,
      keySet(missing) {
        if (missing === undefined || clock() - unknownKeyReloadAt < minUnknownKeyReloadMs) return keySet;
        unknownKeyReloadAt = clock();
        return reload().then(() => keySet);
      },
    }),
    async close() {
      clearInterval(timer);
      await (await opened)?.close();
    },
  };
}

function idsOf({ keys }: KeySet): string {
  return keys.map(({ id }) => id).join(' ');
}
