import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import type { DeploymentApps } from './deployment-apps.ts';

/** The dependencies of the operations on an organization's connections. */
export interface ConnectionsDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly apps: DeploymentApps;
}
