import type { MigrationSet } from '../src/foundation/db/migrations/migration.ts';

/**
 * SHA-256 of the statements of each released migration, per dialect. A released migration never changes: a database that
 * has applied it would differ from a new one. Each release pins its new migrations here; until then they may be edited.
 */
export const checksums: MigrationSet['checksums'] = {};
