import { dirname } from 'node:path';
import { describeWeakness, readDurability } from '../../../../foundation/db/sqlite/durability.ts';
import { networkFileSystem } from '../../../../foundation/db/sqlite/network-file-system.ts';
import { walBytes } from '../../../../foundation/db/sqlite/sqlite-wal.ts';
import { type DatabaseCheck, fail, pass, warning } from '../check.ts';

/** Maximum size of the write-ahead log, in bytes. Hourly truncation keeps it smaller unless a reader never ends. */
const maxWalBytes = 256 * 1024 * 1024;

export const durabilityCheck: DatabaseCheck = {
  id: 'durability',
  title: 'Durability',
  async run({ config: { database: place }, database }) {
    const settings = await readDurability(database.queries);
    const wal = place.dialect === 'sqlite' ? { walBytes: walBytes(place.file) } : {};
    const evidence = { ...Object.fromEntries(settings.map(({ name, value }) => [name, value])), ...wal };
    const weakness = describeWeakness(settings);
    if (weakness !== '') {
      const hint =
        'Set it in the server, the database and the role. Otherwise a power failure loses acknowledged work.';
      return fail(`Acknowledged work can be lost: ${weakness}.`, hint, evidence);
    }
    const network = place.dialect === 'sqlite' ? await networkFileSystem(dirname(place.file)) : undefined;
    if (network !== undefined) {
      const hint =
        'Put the database on a local disk, or use Postgres: a network file system can damage SQLite files.';
      return warning(`${place.dialect === 'sqlite' ? place.file : ''} is on ${network}.`, hint, evidence);
    }
    if ((wal.walBytes ?? 0) > maxWalBytes) {
      const hint =
        'A program keeps a read transaction open; stop it. The worker truncates the log every hour.';
      return warning('The write-ahead log is no longer truncated.', hint, evidence);
    }
    return pass('Commits are on disk before they are acknowledged.', evidence);
  },
};
