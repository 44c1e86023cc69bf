import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { invalidField } from '../../../foundation/kernel/invalid-field.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { removeSecrets, saveSecret } from '../../../foundation/secrets/secret-store.ts';
import { appSecretFields } from './connection.ts';
import { noSuchConnection, putClientId, requireConnection } from './connection-store.ts';
import type { ConnectionsDeps } from './connections-deps.ts';

/** Of an OAuth application, as the provider shows it once it is registered. */
export interface AppCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Tracker only. Absent: the saved one stays while the client id is the same. */
  readonly webhookSecret?: string | undefined;
}

/**
 * Saves the app of a connection, secrets encrypted; it goes before the one of the deployment settings.
 * @throws NotFound, alike for unknown and foreign ids; InvalidInput for a webhook secret of oncall.
 */
export async function saveApp(
  { database, keyring, clock }: Pick<ConnectionsDeps, 'database' | 'keyring' | 'clock'>,
  scope: OrgScope,
  id: ConnectionId,
  app: AppCredentials,
): Promise<void> {
  const now = clock();
  await database.transaction(async (tx) => {
    const { kind } = await requireConnection(tx, scope, id);
    if (kind === 'oncall' && app.webhookSecret !== undefined) throw noOncallWebhookSecret();
    const before = await putClientId(tx, scope, id, app.clientId);
    if (before === undefined) throw noSuchConnection();
    // Another application signs its webhooks with another secret: the former one must not vouch for it.
    if (kind === 'tracker' && before === 'changed') {
      await removeSecrets(tx, id, [appSecretFields.webhookSecret]);
    }
    const save = (field: string, text: string): Promise<void> =>
      saveSecret(tx, keyring, { connectionId: id, field }, text, now);
    await save(appSecretFields.clientSecret, app.clientSecret);
    if (app.webhookSecret !== undefined) await save(appSecretFields.webhookSecret, app.webhookSecret);
  });
}

/** Specification, settings rule 5. */
function noOncallWebhookSecret() {
  return invalidField(
    'webhookSecret',
    'must be left out for oncall: its webhook secrets are made with each subscription',
  );
}
