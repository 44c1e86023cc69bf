import { dirname } from 'node:path';
import { describeWeakness, readDurability } from '../../../../foundation/db/durability.ts';
import { networkFileSystem } from '../../../../foundation/db/network-file-system.ts';
import { walBytes } from '../../../../foundation/db/sqlite-wal.ts';
import { type DatabaseCheck, fail, pass, warning } from '../check.ts';

/** A log this long has outgrown what an hourly cut leaves: something reads for ever. */
const longWal = 256 * 1024 * 1024;

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
        'Set it in the server, the database and the role: what was acknowledged is lost with a power cut.';
      return fail(`Acknowledged work can be lost: ${weakness}.`, hint, evidence);
    }
    const network = place.dialect === 'sqlite' ? await networkFileSystem(dirname(place.file)) : undefined;
    if (network !== undefined) {
      const hint = 'Put the database on a local disk, or use Postgres: SQLite may be damaged there.';
      return warning(`${place.dialect === 'sqlite' ? place.file : ''} lies on ${network}.`, hint, evidence);
    }
    if ((wal.walBytes ?? 0) > longWal) {
      const hint =
        'Some program reads the database without an end; stop it. The worker cuts the log every hour.';
      return warning('The write-ahead log is not cut any more.', hint, evidence);
    }
    return pass('A commit is on the disk before it is acknowledged.', evidence);
  },
};
