import { errors } from 'oidc-provider';
import type { Queries } from '../../../foundation/db/database.ts';
import { hasLiveGrant } from '../grants/grant-store.ts';
import {
  deleteObject,
  findObject,
  type ObjectDeps,
  objectKey,
  putObject,
  type StoredPayload,
} from '../provider/object-store.ts';
import { keepClient } from '../registration/client-lifetime.ts';
import { isClientIdUrl } from './client-id-url.ts';
import { ClientDocumentsOff } from './documents-off.ts';
import type { ClientDocuments } from './open-client-documents.ts';

export interface CopyDeps extends ObjectDeps {
  readonly database: { readonly queries: Queries };
  readonly documents: ClientDocuments;
}

/**
 * Returns the client of a document. While the document cannot be read, a client with a grant goes on from the copy that
 * was stored with the grant, however old it is. A host that answers without the document ends that.
 * @throws as `ClientDocuments.find`
 */
export async function findDocumentedClient(
  deps: CopyDeps,
  clientId: string,
  sender: string | undefined,
): Promise<StoredPayload> {
  try {
    return { ...(await deps.documents.find(clientId, sender)) };
  } catch (error) {
    const { queries } = deps.database;
    const copy = await findObject(queries, deps, { key: objectKey(deps, 'Client', clientId) });
    if (copy === undefined) throw error;
    if (!isUnread(error)) await deleteObject(queries, copy.key);
    else if (await hasLiveGrant(queries, clientId, deps.clock())) return copy.payload;
    throw error;
  }
}

/** Returns whether the document of a client was not read, so that nothing is known about the client. */
export function isUnread(error: unknown): boolean {
  return error instanceof errors.TemporarilyUnavailable || error instanceof ClientDocumentsOff;
}

/** A client of the library. */
interface KeptClient {
  readonly clientId: string;
  metadata(): object;
}

/**
 * Keeps the registration of a client beyond its grant, or the copy of its document. Call it in the transaction that
 * creates or extends the grant.
 * @param grantExpiresAt milliseconds since the epoch
 */
export async function keepGrantedClient(
  tx: Queries,
  deps: ObjectDeps,
  client: KeptClient,
  grantExpiresAt: number,
): Promise<void> {
  const key = objectKey(deps, 'Client', client.clientId);
  if (isClientIdUrl(client.clientId)) await storeCopy(tx, deps, key, client);
  await keepClient(tx, key, grantExpiresAt);
}

/** Stores the copy without changing its lifetime, which `keepClient` extends. */
async function storeCopy(tx: Queries, deps: ObjectDeps, key: string, client: KeptClient): Promise<void> {
  const stored = await tx
    .selectFrom('oauth_objects')
    .select('expires_at')
    .where('key', '=', key)
    .executeTakeFirst();
  const ttl = Math.max(0, (stored?.expires_at ?? 0) - deps.clock()) / 1_000;
  await putObject(tx, deps, key, { ...client.metadata() }, ttl);
}
