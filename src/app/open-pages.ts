import { openPasswordHashing } from '../features/identity/sign-in/password-hashing.ts';
import type { UpstreamDeps } from '../features/identity/upstream/begin-upstream.ts';
import { upstreamProvider } from '../features/identity/upstream/upstream-provider.ts';
import type { AuthorizationServer } from '../features/oauth/authorization-server.ts';
import type { Config } from '../foundation/config/config.ts';
import type { Database } from '../foundation/db/database.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import type { HttpClient } from '../foundation/net/http.ts';
import { createHttpClient } from '../foundation/net/http-client.ts';
import { createSealer } from '../foundation/secrets/sealer.ts';
import type { Tracer } from '../foundation/telemetry/tracer.ts';
import { pageRoutes } from '../surfaces/pages/page-routes.ts';

export interface OpenPagesDeps {
  readonly config: Config;
  readonly database: Database;
  readonly authSecret: string;
  /** Of `config.upstream`. */
  readonly upstreamClientSecret: string | undefined;
  readonly oauth: AuthorizationServer;
  readonly tracer: Tracer;
}

export interface OpenedPages {
  readonly plugin: ReturnType<typeof pageRoutes>;
  close(): Promise<void>;
}

/** The pages with what they are bound to. A resource: to be closed after the server that they are mounted in. */
export function openPages(deps: OpenPagesDeps): OpenedPages {
  const { config, database, authSecret, oauth, tracer } = deps;
  const http = createHttpClient({ allowHosts: config.outbound.allowHosts, tracer });
  const plugin = pageRoutes({
    config,
    identity: { database, clock: systemClock, hashing: openPasswordHashing() },
    oauth,
    upstream: openUpstream(deps, http),
    sealer: createSealer(authSecret, 'orgctx/forms/v1'),
  });
  return { plugin, close: () => http.close() };
}

/** Asks the identity provider nothing before somebody signs in there. */
function openUpstream(
  { config, database, authSecret, upstreamClientSecret: clientSecret }: OpenPagesDeps,
  http: HttpClient,
): UpstreamDeps | undefined {
  const { upstream, baseUrl } = config;
  if (upstream === undefined) return undefined;
  const clock = systemClock;
  return {
    database,
    clock,
    provider: upstreamProvider({ config: upstream, clientSecret, baseUrl, http, clock }),
    sealer: createSealer(authSecret, 'orgctx/upstream/v1'),
  };
}
