import { gitProviders } from '../../../src/app/open/git-providers.ts';
import { resumeWaiting } from '../../../src/app/open/open-githosts.ts';
import { createTokenCache } from '../../../src/backends/git-providers/port.ts';
import type { DeploymentHost, GithostsDeps } from '../../../src/features/githosts/githosts-deps.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { type Clock, systemClock } from '../../../src/foundation/kernel/clock.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import type { Keyring } from '../../../src/foundation/secrets/keyring.ts';

export interface TestGithostsOptions {
  readonly allowHosts?: readonly string[];
  readonly operatorOrigins?: readonly string[];
  /** Default: no settings. */
  readonly deployment?: DeploymentHost;
  readonly clock?: Clock;
  readonly baseUrl?: string;
}

/** Returns the dependencies of Git hosts, with every kind of the program. */
export function testGithosts(
  database: Database,
  keyring: Keyring,
  options: TestGithostsOptions = {},
): GithostsDeps {
  const { allowHosts = [], operatorOrigins = [], clock = systemClock } = options;
  const http = createHttpClient({ allowHosts });
  return {
    database,
    keyring,
    clock,
    allowHosts,
    baseUrl: options.baseUrl ?? 'https://ctx.example',
    providers: new Map(gitProviders.map((provider) => [provider.kind, provider])),
    provider: { http, clock, tokens: createTokenCache(clock), operatorOrigins },
    resumeWaiting,
    deployment: options.deployment ?? { kind: 'github', settings: {} },
  };
}
