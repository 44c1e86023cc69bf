import { connectors } from '../../features/connectors/registry.ts';
import {
  type ConnectionDoctorOptions,
  type ConnectionReport,
  checkConnection,
} from '../../features/doctor/host/connection/check-connection.ts';
import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { HttpClient } from '../../foundation/net/http.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { hostAddresses } from '../host/running-server.ts';
import { openGithosts } from '../open/open-githosts.ts';
import { openSecrets } from '../open/open-secrets.ts';
import { serverProbe } from './probe-server.ts';

export interface ConnectionChecking {
  readonly settings: LoadedConfig;
  readonly database: Database;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Runs the checks of `orgctx doctor connector`. @throws NotFound; NotConfigured without the key of the secrets */
export async function checkConfiguredConnection(
  checking: ConnectionChecking,
  id: string,
): Promise<ConnectionReport> {
  return withConnectionDeps(checking, {}, (options) => checkConnection(options, id));
}

/** Runs `work` with what the checks of a connection need. @param http wraps the client of all its calls */
export async function withConnectionDeps<T>(
  { settings, database, log, signal }: ConnectionChecking,
  { http = (client) => client }: { readonly http?: (client: HttpClient) => HttpClient },
  work: (options: ConnectionDoctorOptions) => Promise<T>,
): Promise<T> {
  const { secrets } = settings;
  const keyring = await openSecrets(settings, database);
  const opened = openGithosts(settings, { database, keyring });
  try {
    const { providerSettings } = secrets;
    const { provider } = opened.githosts;
    const githosts = { ...opened.githosts, provider: { ...provider, http: http(provider.http) } };
    const { baseUrl } = hostAddresses(settings);
    const deps = { ...githosts, baseUrl, connectors, providerSettings };
    const server = serverProbe(settings, signal);
    const onError = (check: string, error: unknown): void =>
      log.debug({ err: error, check }, 'a check failed');
    return await work({ deps, server, onError, signal, timeoutMs: 30_000 });
  } finally {
    await opened.close();
  }
}
