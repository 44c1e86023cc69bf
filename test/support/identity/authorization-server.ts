import type { AuthorizationServer } from '../../../src/features/oauth/authorization-server.ts';
import { openAuthorizationServer } from '../../../src/features/oauth/open-authorization-server.ts';
import type { AuthorizationServerDeps } from '../../../src/features/oauth/open-endpoints.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import type { Logger } from '../../../src/foundation/telemetry/logger.ts';
import { oauthPages } from '../../../src/surfaces/pages/oauth/oauth-pages.ts';
import { silentLog } from '../silent-log.ts';

export interface TestAuthorizationServerOptions {
  readonly baseUrl: string;
  readonly log?: Logger;
  readonly access?: Partial<AuthorizationServerDeps['config']['access']>;
  readonly clock?: AuthorizationServerDeps['clock'];
  readonly authSecret?: string;
  /** Default: `auto`. */
  readonly clientDocuments?: AuthorizationServerDeps['config']['clientDocuments'];
  /** Private hosts from which client documents may be read. */
  readonly allowHosts?: readonly string[];
}

export const testAuthSecret = 'k'.repeat(40);

/** The product's default lifetimes, in milliseconds. */
const defaultAccess = {
  accessTokenTtlMs: 3_600_000,
  refreshTokenTtlMs: 7_776_000_000,
  refreshGraceMs: 60_000,
};

/** Opens the authorization server over a real database, with the product's pages. */
export async function openTestAuthorizationServer(
  database: Database,
  { baseUrl, log = silentLog, access, clock = systemClock, ...options }: TestAuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const http = createHttpClient({ allowHosts: options.allowHosts ?? [] });
  const server = await openAuthorizationServer({
    database,
    sealer: createSealer(options.authSecret ?? testAuthSecret, 'orgctx/oauth/v1'),
    config: {
      baseUrl,
      access: { ...defaultAccess, ...access },
      clientDocuments: options.clientDocuments ?? 'auto',
    },
    clock,
    http,
    pages: oauthPages,
    log,
  });
  return {
    ...server,
    async close() {
      await Promise.all([server.close(), http.close()]);
    },
  };
}
