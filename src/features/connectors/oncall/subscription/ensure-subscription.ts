import { forUpdate } from '../../../../foundation/db/dialect.ts';
import type { JobContext } from '../../../../foundation/jobs/handler.ts';
import type { ConnectionId } from '../../../../foundation/kernel/ids.ts';
import { orUndefined } from '../../../../foundation/kernel/or-undefined.ts';
import {
  listSecretFields,
  readSecret,
  removeSecrets,
  saveSecret,
} from '../../../../foundation/secrets/secret-store.ts';
import { SecretUnreadable } from '../../../../foundation/secrets/secret-unreadable.ts';
import { type AuthorizedConnection, type ConnectorJobsDeps, furtherWebhookSecrets } from '../../port.ts';
import { isProviderError, type ProviderError } from '../../sync/provider-error.ts';
import { failed, type OncallClient } from '../client/oncall-client.ts';
import type { Subscription } from '../client/shapes.ts';

/**
 * Says what was done: `kept` if the subscription was as it should be, `resumed` if somebody had disabled or changed it,
 * `created` if there was none.
 * Unless it was kept, events may have been lost.
 */
export type Ensured = 'kept' | 'resumed' | 'created';

/**
 * Makes sure that the account has one webhook subscription for the connection, and that its secret is stored. A
 * subscription is kept if its secret is; the provider shows a secret only once, so that one without is replaced: also
 * the one that a killed process created but did not save. Subscriptions of other connections stay.
 */
export async function ensureSubscription(
  deps: ConnectorJobsDeps,
  client: OncallClient,
  connection: AuthorizedConnection,
  context: JobContext,
): Promise<Ensured> {
  const own = await readOwnSubscriptions(deps, connection.id);
  const listed = await client.subscriptions();
  const { webhookUrl } = deps;
  const ofUrl = listed.filter(({ id, delivery_method: { url } }) => own.has(id) || url === webhookUrl);
  const others = await ownedByOthers(deps, connection.id, ofUrl);
  const mine = ofUrl.filter(({ id }) => !others.has(id));
  const kept = mine.find(
    ({ id, delivery_method: { url } }) => own.get(id) === 'usable' && url === webhookUrl,
  );
  try {
    // First, because an account can have ten only.
    for (const { id } of mine) if (id !== kept?.id) await client.deleteSubscription(id);
    if (kept !== undefined) return await resume(client, kept);
    await replace(deps, client, connection, [...own.keys()], context);
    return 'created';
  } catch (error) {
    throw isProviderError(error, 'forbidden') ? roleMissing(error) : error;
  }
}

/** Corrects a subscription that somebody changed, and ends the pause after dropped deliveries. */
async function resume(
  client: OncallClient,
  { id, active, events, delivery_method }: Subscription,
): Promise<Ensured> {
  const isCorrect = active && wantedEvents.every((name) => events.includes(name));
  if (!isCorrect) await client.correctSubscription(id, wantedEvents);
  const isPaused = delivery_method.temporarily_disabled === true;
  if (isPaused) await client.enableSubscription(id);
  return isPaused || !isCorrect ? 'resumed' : 'kept';
}

async function replace(
  deps: ConnectorJobsDeps,
  client: OncallClient,
  connection: AuthorizedConnection,
  former: readonly string[],
  context: JobContext,
): Promise<void> {
  await deps.database.transaction((tx) => context.assertHeld(tx));
  const description = `orgctx: ${connection.name}`;
  const { id, delivery_method } = await client.createSubscription(deps.webhookUrl, description, wantedEvents);
  const { secret } = delivery_method;
  if (!secret) throw failed('protocol', 'The oncall provider created a subscription without a secret.');
  const isSaved = await deps.database.transaction(async (tx) => {
    const connectionId = connection.id;
    // The lock lets a concurrent removal of the connection see the new secret or come first.
    const row = tx.selectFrom('connections').select('id').where('id', '=', connectionId);
    if ((await forUpdate(tx, row).executeTakeFirst()) === undefined) return false;
    if (former.length > 0) await removeSecrets(tx, connectionId, former.map(fieldOf));
    await saveSecret(tx, deps.keyring, { connectionId, field: fieldOf(id) }, secret, deps.clock());
    return true;
  });
  // The connection was removed.
  if (!isSaved) await client.deleteSubscription(id);
}

function roleMissing(cause: unknown): ProviderError {
  return failed(
    'forbidden',
    'The authorized user may not manage webhook subscriptions of the oncall account: that takes an owner or administrator. Authorize the connection again with such a user. Until then, changes are found with delay.',
    cause,
  );
}

/**
 * The events that need no other scope than `incidents.read`: the provider refuses others, or never sends them. Events
 * of workflows are such others.
 */
const wantedEvents: readonly string[] = [
  'triggered acknowledged unacknowledged resolved reopened escalated delegated reassigned',
  'priority_updated annotated responder.added responder.replied status_update_published service_updated',
  'incident_type.changed conference_bridge.updated custom_field_values.updated role.assigned',
  'task.created task.updated task.completed',
].flatMap((names) => names.split(' ').map((name) => `incident.${name}`));

/** The secret of a subscription is stored under its id, by which its events are routed. */
const fieldOf = (subscriptionId: string): string => `${furtherWebhookSecrets}${subscriptionId}`;

/** Returns the stored subscriptions of a connection, by id: `usable` if its secret can be decrypted. */
async function readOwnSubscriptions(
  { database: { queries }, keyring }: ConnectorJobsDeps,
  connectionId: ConnectionId,
): Promise<ReadonlyMap<string, 'usable' | 'unreadable'>> {
  const fields = (await listSecretFields(queries, [connectionId])).get(connectionId) ?? [];
  const own = new Map<string, 'usable' | 'unreadable'>();
  for (const field of fields) {
    if (!field.startsWith(furtherWebhookSecrets)) continue;
    const secret = await readSecret(queries, keyring, { connectionId, field }).catch(orUnreadable);
    own.set(field.slice(furtherWebhookSecrets.length), secret === undefined ? 'unreadable' : 'usable');
  }
  return own;
}

const orUnreadable = orUndefined((error) => error instanceof SecretUnreadable);

/** Returns which of the subscriptions belong to other connections of this deployment, in any organization. */
async function ownedByOthers(
  { database: { queries } }: ConnectorJobsDeps,
  connectionId: ConnectionId,
  subscriptions: readonly Subscription[],
): Promise<ReadonlySet<string>> {
  if (subscriptions.length === 0) return new Set();
  const fields = subscriptions.map(({ id }) => fieldOf(id));
  const rows = await queries
    .selectFrom('connection_secrets')
    .select('field')
    .where('connection_id', '!=', connectionId)
    .where('field', 'in', fields)
    .execute();
  return new Set(rows.map(({ field }) => field.slice(furtherWebhookSecrets.length)));
}
