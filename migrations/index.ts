import type { MigrationSet } from '../src/foundation/db/migrations/migration.ts';
import { initial } from './0001-initial.ts';
import { checksums } from './checksums.ts';

/** The migrations of this program, in order. A list and not a folder, so that it is bundled with the program. */
export const migrations: MigrationSet = { list: [initial], checksums };
