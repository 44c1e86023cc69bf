import { migrations } from '../../../migrations/index.ts';
import type { Database } from '../../foundation/db/database.ts';
import {
  type MigrateResult,
  migrateToLatest,
  type SchemaState,
  schemaState,
  schemaStatus,
} from '../../foundation/db/migrations/migrate.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';

export interface Schema extends Pick<MigrateResult, 'pending' | 'version'> {
  readonly state: SchemaState;
}

/** Compares the schema of the database with the migrations of this program. */
export async function readSchema(database: Database): Promise<Schema> {
  const state = await schemaState(database, migrations);
  return { state, ...(await schemaStatus(database, migrations)) };
}

/** Brings the database to the schema of this program. @throws what `migrateToLatest` throws */
export function migrateDatabase(database: Database, log: Logger): Promise<MigrateResult> {
  return migrateToLatest(database, { migrations, log });
}
