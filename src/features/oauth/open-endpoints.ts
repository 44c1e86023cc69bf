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
import type { KeySet } from './keys/key-set.ts';
import type { OAuthPages } from './pages.ts';
import { createProvider, type ProviderDeps } from './provider/provider.ts';
import { serverMetadata } from './server-metadata.ts';

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

/** The part of the authorization server that needs the library: all but the check of access tokens. */
export type Endpoints = Omit<AuthorizationServer, 'pages' | 'verifyAccessToken'>;

/** Opens the endpoints. `keySet` returns the keys that are loaded now. */
export function openEndpoints(deps: AuthorizationServerDeps, keySet: () => KeySet): Endpoints {
  const { database, sealer, clock, config, log } = deps;
  const documents = clientDocumentsOf(deps);
  const advertising = openDocumentAdvertising({
    queries: database.queries,
    clock,
    mode: config.clientDocuments,
    documents,
    log,
  });
  const shared = {
    database,
    sealer,
    clock,
    baseUrl: config.baseUrl,
    ...config.access,
    provider: providerOf(deps, documents, keySet),
  };
  return {
    handle: (request, response, { body, ...caller }) =>
      handleRequest(shared, { request, response, caller, body }),
    metadata: async () => serverMetadata(config.baseUrl, { clientDocuments: await advertising.isOn() }),
    ...interactions(shared),
    enterDeviceCode: (typed, request, response) => enterDeviceCode(shared, typed, request, response),
    clientName: (clientId) => findClientName(shared.provider(), clientId),
    close: () => advertising.close(),
  };
}

/** Returns the provider for the present keys. The library reads keys only at construction, so new keys need a new one. */
function providerOf(
  { database, sealer, clock, config, pages, log }: AuthorizationServerDeps,
  documents: ClientDocuments,
  keySet: () => KeySet,
): () => Provider {
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
  const build = (keys: KeySet) => ({ keys, provider: createProvider({ ...common, keySet: keys }) });
  let built = build(keySet());
  return () => {
    if (built.keys !== keySet()) built = build(keySet());
    return built.provider;
  };
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
