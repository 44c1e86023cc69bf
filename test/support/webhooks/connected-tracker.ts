import type { ConnectionRow } from '../../../src/features/connectors/tables.ts';
import { ensureOrganization } from '../../../src/features/identity/people/organization-store.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { type ConnectionId, newId } from '../../../src/foundation/kernel/ids.ts';
import type { Keyring } from '../../../src/foundation/secrets/keyring.ts';
import { saveSecret } from '../../../src/foundation/secrets/secret-store.ts';

export interface ConnectedTracker {
  readonly orgSlug?: string;
  readonly account?: string;
  readonly state?: ConnectionRow['state'];
  readonly secret?: string;
}

/** Inserts a tracker connection that is authorized and configured. */
export async function connectTracker(
  database: Database,
  keyring: Keyring,
  { orgSlug = 'acme', account = 'workspace-1', state = 'connected', secret }: ConnectedTracker = {},
): Promise<ConnectionId> {
  const id = newId<ConnectionId>();
  const now = systemClock();
  await database.transaction(async (tx) => {
    const organization = await ensureOrganization(tx, { slug: orgSlug }, () => now);
    await tx
      .insertInto('connections')
      .values({
        id,
        organization_id: organization.id,
        kind: 'tracker',
        name: `tracker ${id}`,
        state,
        client_id: null,
        account_id: account,
        account: JSON.stringify({ id: account, name: account }),
        error: null,
        last_accepted_at: null,
        last_rejected_at: null,
        last_sync_at: null,
        created_at: now,
      })
      .execute();
    if (secret !== undefined) {
      await saveSecret(tx, keyring, { connectionId: id, field: 'webhookSecret' }, secret, now);
    }
  });
  return id;
}
