import { openPasswordHashing } from '../features/identity/password-hashing.ts';
import type { AuthorizationServer } from '../features/oauth/authorization-server.ts';
import type { Config } from '../foundation/config/config.ts';
import type { Database } from '../foundation/db/database.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import { createSealer } from '../foundation/secrets/sealer.ts';
import { pageRoutes } from '../surfaces/pages/page-routes.ts';

export interface OpenPagesDeps {
  readonly config: Config;
  readonly database: Database;
  readonly authSecret: string;
  readonly oauth: AuthorizationServer;
}

/** The pages with what they are bound to. */
export function openPages({
  config,
  database,
  authSecret,
  oauth,
}: OpenPagesDeps): ReturnType<typeof pageRoutes> {
  return pageRoutes({
    config,
    identity: { database, clock: systemClock, hashing: openPasswordHashing() },
    oauth,
    sealer: createSealer(authSecret, 'orgctx/forms/v1'),
  });
}
