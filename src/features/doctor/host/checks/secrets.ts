import { readFile } from 'node:fs/promises';
import { dataFolder } from '../../../../foundation/kernel/data-folder.ts';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { canaryOf, type KeySettings, loadKeyring } from '../../../../foundation/secrets/open-keyring.ts';
import { checkSecrets, type UnreadableSecret } from '../../../../foundation/secrets/sealed-secrets.ts';
import { type CheckOutcome, type DatabaseCheck, fail, type Host, pass, warning } from '../check.ts';

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
    const { saved, unreadable } = await checkSecrets(queries, keyring);
    if (unreadable.length > 0) return judgeUnreadable(unreadable);
    const evidence = { keyId: keyring.keyId, saved };
    switch (canaryOf(keyring, row)) {
      case 'current':
        return pass('All of them can be read with the keys that are set.', evidence);
      case 'former':
        return warning('They are sealed with a former key.', 'Run "orgctx secrets rotate".', evidence);
      case undefined:
        return warning(
          'Their key is another than before; none that is saved needs the former one.',
          'The next start takes the new one up. See that every process has it.',
          evidence,
        );
    }
  },
};

/** The first few are named; what mends one mends all that need the same key. */
const named = 5;

function judgeUnreadable(unreadable: readonly UnreadableSecret[]): CheckOutcome {
  const evidence = { unreadable: unreadable.length };
  const places = unreadable.slice(0, named).map(({ connectionId, field }) => `${field} of ${connectionId}`);
  const which = `${places.join(', ')}${unreadable.length > named ? ', …' : ''}`;
  if (unreadable.some(({ reason }) => reason === 'wrong_key')) {
    return fail(
      `${unreadable.length} saved secrets cannot be read with these keys: ${which}.`,
      restore,
      evidence,
    );
  }
  const hint = 'Save them on their connections again, or restore a backup of the database.';
  return fail(`${unreadable.length} saved secrets are damaged or were moved: ${which}.`, hint, evidence);
}

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
