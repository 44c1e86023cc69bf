import type { Provider } from 'oidc-provider';
import type { Config } from '../../foundation/config/config.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { HttpClient } from '../../foundation/net/http.ts';
import type { Sealer } from '../../foundation/secrets/sealer.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { openDocumentAdvertising } from './client-documents/advertise-documents.ts';
import { recordDocumentRead } from './client-documents/document-reads.ts';
import { documentsOff } from './client-documents/documents-off.ts';
import { type ClientDocuments, openClientDocuments } from './client-documents/open-client-documents.ts';
import { countDevicePoll } from './devices/device-limits.ts';
import { enterDeviceCode } from './devices/enter-device-code.ts';
import { resourcesOf } from './endpoints.ts';
import { findClientName } from './find-client-name.ts';
import { handleRequest } from './handle-request.ts';
import { interactions } from './interactions/interactions.ts';
import { type KeySet, loadKeySet } from './keys/key-set.ts';
import type { OAuthPages } from './pages.ts';
import { createProvider, type ProviderDeps } from './provider/provider.ts';
import { serverMetadata } from './server-metadata.ts';
import { accessTokenVerifier } from './verify-access-token.ts';

export interface AuthorizationServerDeps {
  readonly database: Database;
  /** A sealer with its own purpose. */
  readonly sealer: Sealer;
  readonly config: Pick<Config, 'baseUrl' | 'access' | 'clientDocuments'>;
  readonly clock: Clock;
  /** Used to read the metadata documents of clients. */
  readonly http: HttpClient;
  readonly pages: OAuthPages;
  readonly log: Logger;
}

/** Interval between two reads of the keys, which another process may have created, in milliseconds. */
const keyReloadMs = 60_000;
/** Minimum interval between two reads because of an unknown key, in milliseconds, however many tokens name one. */
const minUnknownKeyReloadMs = 5_000;

/** Opens the authorization server. Creates the first signing key if there is none. */
export async function openAuthorizationServer(deps: AuthorizationServerDeps): Promise<AuthorizationServer> {
  const { database, sealer, clock, config, log } = deps;
  const keyDeps = { queries: database.queries, sealer, clock };
  const documents = clientDocumentsOf(deps);
  const build = providerBuilder(deps, documents);
  const advertising = openDocumentAdvertising({
    queries: database.queries,
    clock,
    mode: config.clientDocuments,
    documents,
    log,
  });
  let keySet = await loadKeySet(keyDeps, log);
  let provider = build(keySet);
  let unknownKeyReloadAt = 0;

  const reload = async (): Promise<void> => {
    const found = await loadKeySet(keyDeps, log);
    if (idsOf(found) === idsOf(keySet)) return;
    keySet = found;
    provider = build(found);
  };
  const timer = setInterval(() => {
    reload().catch((err: unknown) =>
      log.warn({ err }, 'reading signing keys failed; the loaded keys stay in use'),
    );
  }, keyReloadMs).unref();

  const shared = {
    database,
    sealer,
    clock,
    baseUrl: config.baseUrl,
    ...config.access,
    provider: () => provider,
  };
  return {
    handle: (request, response, { body, ...caller }) =>
      handleRequest(shared, { request, response, caller, body }),
    metadata: async () => serverMetadata(config.baseUrl, { clientDocuments: await advertising.isOn() }),
    pages: deps.pages,
    ...interactions(shared),
    enterDeviceCode: (typed, request, response) => enterDeviceCode(shared, typed, request, response),
    clientName: (clientId) => findClientName(provider, clientId),
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
      await advertising.close();
    },
  };
}

function idsOf({ keys }: KeySet): string {
  return keys.map(({ id }) => id).join(' ');
}

/** Returns a factory of providers. The library reads its keys only at construction, so new keys need a new provider. */
function providerBuilder(
  deps: AuthorizationServerDeps,
  documents: ClientDocuments,
): (keySet: KeySet) => Provider {
  const { database, sealer, clock, config, pages, log } = deps;
  const common: Omit<ProviderDeps, 'keySet'> = {
    database,
    sealer,
    clock,
    documents,
    clientDocuments: config.clientDocuments,
    resources: Object.values(resourcesOf(config.baseUrl)),
    baseUrl: config.baseUrl,
    ...config.access,
    countPoll: (device) => countDevicePoll({ queries: database.queries, clock }, device),
    pages,
    log,
  };
  return (keySet) => createProvider({ ...common, keySet });
}

function clientDocumentsOf({ config, http, clock, database, log }: AuthorizationServerDeps): ClientDocuments {
  if (config.clientDocuments === 'off') return documentsOff;
  return openClientDocuments({
    http,
    clock,
    async observe(clientId, outcome, cause) {
      if (outcome === 'unconnected') {
        const reason = { reason: cause?.message, ...cause?.detail };
        log.warn(
          { host: new URL(clientId).host, ...reason },
          'no connection to the host of a client metadata document',
        );
      }
      try {
        await recordDocumentRead(database.queries, clientId, outcome, clock());
      } catch (err) {
        log.warn({ err }, 'the read of a client metadata document could not be recorded');
      }
    },
  });
}
