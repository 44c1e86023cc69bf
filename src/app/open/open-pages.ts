import type { AnswerDeps } from '../../features/advisor/advisor-deps.ts';
import type { SetupDeps } from '../../features/connectors/connections/connections-deps.ts';
import type { HostReport } from '../../features/doctor/host/report.ts';
import type { GithostsDeps } from '../../features/githosts/githosts-deps.ts';
import { openPasswordHashing } from '../../features/identity/sign-in/password-hashing.ts';
import type { UpstreamDeps } from '../../features/identity/upstream/begin-upstream.ts';
import { upstreamProvider } from '../../features/identity/upstream/upstream-provider.ts';
import type { KnowledgeDeps } from '../../features/knowledge/knowledge-deps.ts';
import type { AuthorizationServer } from '../../features/oauth/authorization-server.ts';
import type { RepositoriesDeps } from '../../features/repositories/repositories-deps.ts';
import type { Config } from '../../foundation/config/config.ts';
import type { Database } from '../../foundation/db/database.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { OutboundProxies } from '../../foundation/kernel/outbound-proxy.ts';
import type { HttpClient } from '../../foundation/net/http.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import { createSealer } from '../../foundation/secrets/sealer.ts';
import type { Tracer } from '../../foundation/telemetry/tracer.ts';
import { pageRoutes } from '../../surfaces/pages/page-routes.ts';
import { sharedHostChecks } from '../../surfaces/pages/system/host-checks.ts';

export interface OpenPagesDeps {
  readonly config: Config;
  readonly database: Database;
  readonly authSecret: string;
  /** `Secrets.proxies`. */
  readonly proxies: OutboundProxies;
  /** The client secret of `config.upstream`. */
  readonly upstreamClientSecret: string | undefined;
  readonly oauth: AuthorizationServer;
  readonly repositories: RepositoriesDeps;
  readonly answers: AnswerDeps;
  readonly knowledge: KnowledgeDeps;
  readonly githosts: GithostsDeps;
  /** Runs the checks of the host. */
  readonly checkHost: (signal: AbortSignal) => Promise<HostReport>;
  readonly connections: SetupDeps;
  readonly tracer: Tracer;
}

export interface OpenedPages {
  readonly plugin: ReturnType<typeof pageRoutes>;
  close(): Promise<void>;
}

/** Opens the pages. They must be closed after the server that they are registered in. */
export function openPages(deps: OpenPagesDeps): OpenedPages {
  const { config, database, authSecret, oauth, tracer } = deps;
  const http = createHttpClient({
    allowHosts: config.outbound.allowHosts,
    proxies: deps.proxies,
    tracer,
  });
  const plugin = pageRoutes({
    config,
    identity: { database, clock: systemClock, hashing: openPasswordHashing() },
    oauth,
    repositories: deps.repositories,
    answers: deps.answers,
    knowledge: deps.knowledge,
    githosts: deps.githosts,
    hostChecks: sharedHostChecks(deps.checkHost, systemClock),
    connections: deps.connections,
    upstream: openUpstream(deps, http),
    sealer: createSealer(authSecret, 'orgctx/forms/v1'),
  });
  return { plugin, close: () => http.close() };
}

/** Opens the sign-in at the identity provider, without a request to it before the first sign-in. */
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
