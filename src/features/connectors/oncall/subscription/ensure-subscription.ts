import type { Queries } from '../../../../foundation/db/database.ts';
import type { JobContext } from '../../../../foundation/jobs/handler.ts';
import type { ConnectionId } from '../../../../foundation/kernel/ids.ts';
import {
  listSecretFields,
  readSecret,
  removeSecrets,
  saveSecret,
} from '../../../../foundation/secrets/secret-store.ts';
import { SecretUnreadable } from '../../../../foundation/secrets/secret-unreadable.ts';
import { type AuthorizedConnection, type ConnectorJobsDeps, furtherWebhookSecrets } from '../../port.ts';
import { isProviderError, type ProviderError } from '../../sync/provider-error.ts';
import { failed, maxOffset, type OncallClient } from '../client/oncall-client.ts';
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
  const listed = await listSubscriptions(client);
  const ofUrl = listed.filter(
    ({ id, delivery_method }) => own.has(id) || delivery_method.url === deps.webhookUrl,
  );
  const others = await ownedByOthers(
    deps.database.queries,
    connection.id,
    ofUrl.map(({ id }) => id),
  );
  const mine = ofUrl.filter(({ id }) => !others.has(id));
  const kept = mine.find(({ id, delivery_method }) => {
    return own.get(id)?.usable === true && delivery_method.url === deps.webhookUrl;
  });
  try {
    // First, because an account can have ten only.
    for (const { id } of mine) if (id !== kept?.id) await client.deleteSubscription(id);
    if (kept !== undefined) return await resume(client, kept);
    await replace(deps, client, { connection, former: [...own.keys()] }, context);
    return 'created';
  } catch (error) {
    throw isProviderError(error, 'forbidden') ? roleMissing(error) : error;
  }
}

async function listSubscriptions(client: OncallClient): Promise<readonly Subscription[]> {
  const all: Subscription[] = [];
  for (;;) {
    const { items, more } = await client.subscriptions({ offset: all.length });
    all.push(...items);
    if (!more || items.length === 0 || all.length >= maxOffset) return all;
  }
}

/** Corrects a subscription that somebody changed, and ends the pause after dropped deliveries. */
async function resume(client: OncallClient, subscription: Subscription): Promise<Ensured> {
  const { id, delivery_method } = subscription;
  const isCorrect = sendsWanted(subscription);
  if (!isCorrect) await client.changeSubscription(id, { events: wantedEvents, active: true });
  const isPaused = delivery_method.temporarily_disabled === true;
  if (isPaused) await client.enableSubscription(id);
  return isPaused || !isCorrect ? 'resumed' : 'kept';
}

async function replace(
  deps: ConnectorJobsDeps,
  client: OncallClient,
  { connection, former }: { readonly connection: AuthorizedConnection; readonly former: readonly string[] },
  context: JobContext,
): Promise<void> {
  await deps.database.transaction((tx) => context.assertHeld(tx));
  const description = `orgctx: ${connection.name}`;
  const { id, delivery_method } = await client.createSubscription(deps.webhookUrl, description, wantedEvents);
  const { secret } = delivery_method;
  if (!secret) throw failed('protocol', 'The oncall provider created a subscription without a secret.');
  const isSaved = await deps.database.transaction((tx) =>
    saveOwnSubscription(tx, deps, connection.id, { id, secret, former }),
  );
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
  'triggered',
  'acknowledged',
  'unacknowledged',
  'resolved',
  'reopened',
  'escalated',
  'delegated',
  'reassigned',
  'priority_updated',
  'annotated',
  'responder.added',
  'responder.replied',
  'status_update_published',
  'service_updated',
  'incident_type.changed',
  'conference_bridge.updated',
  'custom_field_values.updated',
  'role.assigned',
  'task.created',
  'task.updated',
  'task.completed',
].map((name) => `incident.${name}`);

/** Returns true if a subscription sends all wanted events, unless it is paused. */
function sendsWanted({ active, events }: Subscription): boolean {
  return active && wantedEvents.every((name) => events.includes(name));
}

/** The secret of a subscription is stored under its id, by which its events are routed. */
const fieldOf = (subscriptionId: string): string => `${furtherWebhookSecrets}${subscriptionId}`;

/** The stored subscriptions of a connection, by id; `usable` is false if the secret cannot be decrypted. */
async function readOwnSubscriptions(
  { database: { queries }, keyring }: ConnectorJobsDeps,
  connectionId: ConnectionId,
): Promise<ReadonlyMap<string, { readonly usable: boolean }>> {
  const fields = (await listSecretFields(queries, [connectionId])).get(connectionId) ?? new Set();
  const own = new Map<string, { readonly usable: boolean }>();
  for (const field of fields) {
    if (!field.startsWith(furtherWebhookSecrets)) continue;
    const usable = await isReadable(() => readSecret(queries, keyring, { connectionId, field }));
    own.set(field.slice(furtherWebhookSecrets.length), { usable });
  }
  return own;
}

async function isReadable(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
    throw error;
  }
}

/** Returns which of the subscriptions belong to other connections of this deployment, in any organization. */
async function ownedByOthers(
  queries: Queries,
  connectionId: ConnectionId,
  subscriptionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (subscriptionIds.length === 0) return new Set();
  const rows = await queries
    .selectFrom('connection_secrets')
    .select('field')
    .where('connection_id', '!=', connectionId)
    .where('field', 'in', subscriptionIds.map(fieldOf))
    .execute();
  return new Set(rows.map(({ field }) => field.slice(furtherWebhookSecrets.length)));
}

/** Saves the secret of a new subscription in place of all former ones. Returns false if the connection was removed. */
async function saveOwnSubscription(
  tx: Queries,
  { keyring, clock }: ConnectorJobsDeps,
  connectionId: ConnectionId,
  {
    id,
    secret,
    former,
  }: { readonly id: string; readonly secret: string; readonly former: readonly string[] },
): Promise<boolean> {
  // The update locks the row, so that a concurrent removal of the connection sees the new secret or comes first.
  const found = await tx
    .updateTable('connections')
    .set({ id: connectionId })
    .where('id', '=', connectionId)
    .executeTakeFirst();
  if (found.numUpdatedRows === 0n) return false;
  if (former.length > 0) await removeSecrets(tx, connectionId, former.map(fieldOf));
  await saveSecret(tx, keyring, { connectionId, field: fieldOf(id) }, secret, clock());
  return true;
}
