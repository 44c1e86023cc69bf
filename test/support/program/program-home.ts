import type { Dialect } from '../../../src/foundation/db/database.ts';
import { openTestDatabase } from '../database/databases.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { orgctx } from './program.ts';

/** Environment and data folder of the built program, on either database. */
export interface ProgramHome extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
}

/** Creates an empty deployment for the built program; disposing drops its Postgres database. */
export async function openHome(dialect: Dialect, settings: ProgramHome['env'] = {}): Promise<ProgramHome> {
  const dataDir = temporaryFolder();
  if (dialect === 'sqlite') return { env: settings, dataDir, [Symbol.asyncDispose]: async () => undefined };
  const database = await openTestDatabase('postgres', { empty: true });
  const { options } = database;
  const url = options.dialect === 'postgres' ? options.url : '';
  return {
    env: { DATABASE_URL: url, AUTH_SECRET: 'a-secret-of-more-than-32-characters-for-tests', ...settings },
    dataDir,
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** Creates a person with a password as the operator does: a member of each organization. */
export async function createPerson(
  { env, dataDir }: ProgramHome,
  { email, password, organizations }: Person,
): Promise<void> {
  for (const org of organizations) {
    const args = ['admin', 'create', '--email', email, '--org', org, '--password-stdin'];
    const { code, stderr } = await orgctx([...args, '--data-dir', dataDir], { env, input: `${password}\n` });
    if (code !== 0) throw new Error(stderr);
  }
}

export interface Person {
  readonly email: string;
  readonly password: string;
  readonly organizations: readonly string[];
}
