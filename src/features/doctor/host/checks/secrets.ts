import { readAuthSecret } from '../../../../foundation/config/auth-secret.ts';
import { NotConfigured } from '../../../../foundation/config/config-error.ts';
import type { Queries } from '../../../../foundation/db/database.ts';
import { findCanaryKey, readCanary } from '../../../../foundation/secrets/canary.ts';
import { findKeyring } from '../../../../foundation/secrets/ensure-keyring.ts';
import type { Keyring } from '../../../../foundation/secrets/keyring.ts';
import { checkSecrets, type UnreadableSecret } from '../../../../foundation/secrets/sealed-secrets.ts';
import { type CheckOutcome, type DatabaseCheck, fail, type Host, pass, warning } from '../check.ts';

export const secretsCheck: DatabaseCheck = {
  id: 'secrets',
  title: 'Connection secrets',
  async run({ config, secrets, database: { queries } }) {
    const keyring = await keyringOf(config, secrets, queries);
    if (keyring === 'none') return pass('No secret is saved yet.');
    if (keyring === 'missing') return fail('The key of the connection secrets is missing.', restore);
    const { saved, unreadable } = await checkSecrets(queries, keyring);
    if (unreadable.length > 0) return judgeUnreadable(unreadable);
    const evidence = { keyId: keyring.keyId, saved };
    switch (findCanaryKey(keyring, await readCanary(queries))) {
      case 'current':
        return pass('All secrets can be read with the configured keys.', evidence);
      case 'former':
        return warning(
          'The secrets are encrypted with a previous key.',
          'Run "orgctx secrets rotate".',
          evidence,
        );
      case undefined:
        return warning(
          'The key has changed; no saved secret needs the previous one.',
          'The next start uses the new key. Check that every process has it.',
          evidence,
        );
    }
  },
};

/** Maximum number of secrets named in the report. Restoring a key repairs all secrets that need it. */
const maxNamed = 5;

function judgeUnreadable(unreadable: readonly UnreadableSecret[]): CheckOutcome {
  const evidence = { unreadable: unreadable.length };
  const places = unreadable
    .slice(0, maxNamed)
    .map(({ connectionId, field }) => `${field} of ${connectionId}`);
  const which = `${places.join(', ')}${unreadable.length > maxNamed ? ', …' : ''}`;
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

/**
 * Finds the keyring, also with the AUTH_SECRET that loopback deployments on SQLite keep in a file. Creates nothing.
 */
async function keyringOf(
  { dataDir }: Host['config'],
  secrets: Host['secrets'],
  queries: Queries,
): Promise<Keyring | 'none' | 'missing'> {
  const authSecret = secrets.authSecret ?? (await readAuthSecret(dataDir));
  try {
    return (await findKeyring(queries, { ...secrets, authSecret })) ?? 'none';
  } catch (error) {
    if (error instanceof NotConfigured) return 'missing';
    throw error;
  }
}
