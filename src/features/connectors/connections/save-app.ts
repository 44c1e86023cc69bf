import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import { removeSecrets, saveSecret } from '../../../foundation/secrets/secret-store.ts';
import { appSecretFields } from './connection.ts';
import { changeConnection, lockConnection } from './connection-store.ts';
import { type ConnectionsDeps, connectorOf } from './connections-deps.ts';

/** Credentials of an OAuth application, which the provider displays after registration. */
interface AppCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Only if the app has one. Default: the saved secret is kept if the client id does not change. */
  readonly webhookSecret?: string | undefined;
}

/**
 * Saves the app of a connection with its secrets encrypted. It overrides the app of the deployment settings.
 * @throws NotFound, for unknown ids and for ids of other organizations alike; InvalidInput for a webhook secret that
 * the connector creates itself.
 */
export async function saveApp(
  { database, keyring, clock, connectors }: ConnectionsDeps,
  scope: OrgScope,
  id: ConnectionId,
  app: AppCredentials,
): Promise<void> {
  const now = clock();
  await database.transaction(async (tx) => {
    const connection = await lockConnection(tx, scope, id);
    const { kind } = connection;
    const { appHasWebhookSecret } = connectorOf(connectors, kind);
    if (!appHasWebhookSecret && app.webhookSecret !== undefined) {
      // Specification, settings rule 5.
      throw invalidField(
        'webhookSecret',
        `must be omitted for ${kind}: its webhook secrets are created with each subscription`,
      );
    }
    await changeConnection(tx, connection, { client_id: app.clientId });
    // Another application signs its webhooks with another secret; the former secret must not verify them.
    if (appHasWebhookSecret && connection.clientId !== app.clientId) {
      await removeSecrets(tx, id, [appSecretFields.webhookSecret]);
    }
    const save = (field: string, text: string): Promise<void> =>
      saveSecret(tx, keyring, { connectionId: id, field }, text, now);
    await save(appSecretFields.clientSecret, app.clientSecret);
    if (app.webhookSecret !== undefined) await save(appSecretFields.webhookSecret, app.webhookSecret);
  });
}
