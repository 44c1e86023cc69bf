import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import type { DeploymentApps } from './deployment-apps.ts';

/** What an organization's connections are listed, made, furnished and deleted with. */
export interface ConnectionsDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly apps: DeploymentApps;
}
