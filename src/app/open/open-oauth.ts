import type { AuthorizationServer } from '../../features/oauth/authorization-server.ts';
import { openAuthorizationServer } from '../../features/oauth/open-authorization-server.ts';
import type { Config } from '../../foundation/config/config.ts';
import type { Database } from '../../foundation/db/database.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { OutboundProxies } from '../../foundation/kernel/outbound-proxy.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { Tracer } from '../../foundation/telemetry/tracer.ts';
import { oauthPages } from '../../surfaces/pages/oauth/oauth-pages.ts';
import { oauthSealer } from './open-secrets.ts';

export interface OpenOauthDeps {
  readonly config: Config;
  readonly database: Database;
  readonly authSecret: string;
  /** `Secrets.proxies`. */
  readonly proxies: OutboundProxies;
  readonly log: Logger;
  readonly tracer: Tracer;
}

/** Opens the authorization server; closing it also closes the HTTP client that fetches client documents. */
export async function openOauth({
  config,
  database,
  authSecret,
  proxies,
  log,
  tracer,
}: OpenOauthDeps): Promise<AuthorizationServer> {
  const http = createHttpClient({ allowHosts: config.outbound.allowHosts, proxies, tracer });
  const oauth = await openAuthorizationServer({
    database,
    sealer: oauthSealer(authSecret),
    config,
    clock: systemClock,
    http,
    pages: oauthPages,
    log,
  });
  return {
    ...oauth,
    async close() {
      await Promise.all([oauth.close(), http.close()]);
    },
  };
}
