import { errors } from 'oidc-provider';
import type { Config } from '../../../foundation/config/config.ts';
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
import { findDocumentReads } from './document-reads.ts';
import { ClientDocumentsOff } from './documents-off.ts';
import type { ClientDocuments } from './open-client-documents.ts';
import { undocumentedClient } from './undocumented-client.ts';

export interface CopyDeps extends ObjectDeps {
  readonly database: { readonly queries: Queries };
  readonly documents: ClientDocuments;
  readonly clientDocuments: Config['clientDocuments'];
}

/**
 * Returns the client of a document. While the document cannot be read, a client with a grant goes on from the copy that
 * was stored with the grant, however old it is. A host that answers without the document ends that. A service without
 * outgoing connections takes any other client as undocumented.
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
    if (!isUnread(error)) {
      if (copy !== undefined) await deleteObject(queries, copy.key);
      throw error;
    }
    if (copy !== undefined && (await hasLiveGrant(queries, clientId, deps.clock()))) return copy.payload;
    if (await isUnconnected(deps)) return { ...undocumentedClient(clientId) };
    throw error;
  }
}

function isUnread(error: unknown): boolean {
  return error instanceof errors.TemporarilyUnavailable || error instanceof ClientDocumentsOff;
}

/** Returns whether no document can be read: the operator said so, or documents are withdrawn. */
async function isUnconnected({ clientDocuments, database }: CopyDeps): Promise<boolean> {
  if (clientDocuments !== 'auto') return clientDocuments === 'off';
  return (await findDocumentReads(database.queries))?.withdrawnUntil !== undefined;
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
