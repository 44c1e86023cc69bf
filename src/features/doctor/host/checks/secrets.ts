import { readFile } from 'node:fs/promises';
import { dataFolder } from '../../../../foundation/kernel/data-folder.ts';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import {
  canaryOf,
  countUnreadable,
  type KeySettings,
  loadKeyring,
} from '../../../../foundation/secrets/open-keyring.ts';
import { type DatabaseCheck, fail, type Host, pass, warning } from '../check.ts';

export const secretsCheck: DatabaseCheck = {
  id: 'secrets',
  title: 'Connection secrets',
  async run({ config, secrets, database: { queries }, clock }) {
    // Asked first: loading the keys would make what is missing.
    const made = await queries.selectFrom('secret_keys').select('id').executeTakeFirst();
    if (made === undefined) return pass('None is saved yet.');
    const keys = await keysOf(config, secrets);
    if (keys.authSecret === undefined && keys.connectionKey === undefined) {
      return fail('The key of connection secrets is gone.', restore);
    }
    const { keyring, row } = await loadKeyring(queries, keys, clock);
    const unreadable = await countUnreadable(queries, keyring);
    if (unreadable > 0)
      return fail(`${unreadable} saved secrets cannot be read with these keys.`, restore, { unreadable });
    const canary = canaryOf(keyring, row);
    const evidence = { keyId: keyring.keyId };
    if (canary === 'current') return pass('All of them can be read with the key that is set.', evidence);
    if (canary === 'former') {
      return warning('They are sealed with a former key.', 'Run "orgctx secrets rotate".', evidence);
    }
    return warning(
      'None is saved, and the key is another than before.',
      'The next start takes the new one up, if it is the right one.',
      evidence,
    );
  },
};

const restore =
  'Set the AUTH_SECRET or CONNECTION_SECRETS_ENCRYPTION_KEY they were saved with (a former one as ' +
  'CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS), or restore DATA_DIR/auth-secret.';

/** With the AUTH_SECRET that loopback deployments on SQLite keep in a file, read and not made. */
async function keysOf({ dataDir }: Host['config'], secrets: Host['secrets']): Promise<KeySettings> {
  if (secrets.authSecret !== undefined) return secrets;
  try {
    return { ...secrets, authSecret: (await readFile(dataFolder(dataDir).authSecret, 'utf8')).trim() };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return secrets;
    throw error;
  }
}
