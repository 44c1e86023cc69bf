import { Conflict } from '../../../foundation/kernel/errors.ts';
import { type ConnectionId, newId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import { removeSecrets, saveSecret } from '../../../foundation/secrets/secret-store.ts';
import { checkDisplayName } from '../../identity/people/display-name.ts';
import { lockOrganization } from '../../identity/people/membership-store.ts';
import { appSecretFields, connectionLimits } from './connection.ts';
import {
  changeConnection,
  findConnectionByName,
  insertConnection,
  lockConnection,
} from './connection-store.ts';
import { appOf, type ConnectionsDeps } from './connections-deps.ts';

interface ConnectionRequest {
  readonly kind: string;
  /** Default: the kind. Unique among the connections of that kind in the organization. */
  readonly name?: string | undefined;
}

/**
 * Creates a draft, so that credentials of an app can be saved before an account is authorized.
 * @throws InvalidInput for a bad name; Conflict for a name that is in use, and for too many connections.
 */
export async function createConnection(
  { database, clock }: Pick<ConnectionsDeps, 'database' | 'clock'>,
  scope: OrgScope,
  { kind, name: wanted }: ConnectionRequest,
): Promise<ConnectionId> {
  const name = checkDisplayName(wanted ?? kind, 'name');
  return database.transaction(async (tx) => {
    const now = clock();
    const id = newId<ConnectionId>(now);
    await lockOrganization(tx, scope.organizationId);
    if (!(await insertConnection(tx, scope, { id, kind, name }, now))) {
      const existing = await findConnectionByName(tx, scope, { kind, name });
      throw new Conflict(
        'conflict',
        `A connection named ${name} exists already. Use it, or choose another name for the new one (--name on the command line).`,
        { detail: { connectionId: existing?.id } },
      );
    }
    const { count } = await tx
      .selectFrom('connections')
      .where('organization_id', '=', scope.organizationId)
      .where('kind', '=', kind)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count <= connectionLimits.perKind) return id;
    throw new Conflict(
      'conflict',
      `An organization can have at most ${connectionLimits.perKind} ${kind} connections. Delete one that is not used.`,
    );
  });
}

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
  { database, keyring, clock, apps }: ConnectionsDeps,
  scope: OrgScope,
  id: ConnectionId,
  app: AppCredentials,
): Promise<void> {
  const now = clock();
  await database.transaction(async (tx) => {
    const connection = await lockConnection(tx, scope, id);
    const { kind } = connection;
    const { appHasWebhookSecret } = appOf(apps, kind);
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
