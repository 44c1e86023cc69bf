import { readAuthSecret } from '../../../../foundation/config/auth-secret.ts';
import { NotConfigured } from '../../../../foundation/config/config-error.ts';
import type { Queries } from '../../../../foundation/db/database.ts';
import { canaryMaker, readCanary } from '../../../../foundation/secrets/canary.ts';
import { findKeyring } from '../../../../foundation/secrets/ensure-keyring.ts';
import type { Keyring } from '../../../../foundation/secrets/keyring.ts';
import { checkSecrets, type UnreadableSecret } from '../../../../foundation/secrets/sealed-secrets.ts';
import { type CheckOutcome, type DatabaseCheck, fail, type Host, pass, warning } from '../check.ts';

export const secretsCheck: DatabaseCheck = {
  id: 'secrets',
  title: 'Connection secrets',
  async run({ config, secrets, database: { queries } }) {
    const keyring = await keyringOf(config, secrets, queries);
    if (keyring === 'none') return pass('None is saved yet.');
    if (keyring === 'gone') return fail('The key of connection secrets is gone.', restore);
    const { saved, unreadable } = await checkSecrets(queries, keyring);
    if (unreadable.length > 0) return judgeUnreadable(unreadable);
    const evidence = { keyId: keyring.keyId, saved };
    switch (canaryMaker(keyring, await readCanary(queries))) {
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

/** With the AUTH_SECRET that loopback deployments on SQLite keep in a file. Nothing that is missing is made. */
async function keyringOf(
  { dataDir }: Host['config'],
  secrets: Host['secrets'],
  queries: Queries,
): Promise<Keyring | 'none' | 'gone'> {
  const authSecret = secrets.authSecret ?? (await readAuthSecret(dataDir));
  try {
    return (await findKeyring(queries, { ...secrets, authSecret })) ?? 'none';
  } catch (error) {
    if (error instanceof NotConfigured) return 'gone';
    throw error;
  }
}
