import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { FeedPosition } from '../feed.ts';
import type { RunCypher } from './neo4j-client.ts';

/** Reads what was applied of an organization; `undefined` if nothing was, or if it is being filled. */
export async function readState(
  run: RunCypher,
  { organizationId: org }: DataScope,
): Promise<FeedPosition | undefined> {
  const [state] = await run<{ storeId: string | null; sequence: number | null }>(
    'MATCH (s:GraphState {org: $org}) RETURN s.store AS storeId, s.sequence AS sequence',
    { org },
  );
  const { storeId = null, sequence = null } = state ?? {};
  return storeId === null || sequence === null ? undefined : { storeId, sequence };
}

/** Another process copies the organization, or has taken it over. */
export class CopyTaken extends Error {}

/**
 * Leases an organization to the holder of the token, and returns what was applied. Each transaction of a copy renews
 * the lease. Setting a property takes the lock, so the token is compared after that. @throws CopyTaken while another
 * process holds the lease
 */
export async function claimState(
  run: RunCypher,
  scope: DataScope,
  { token, leaseMs }: { readonly token: string; readonly leaseMs: number },
): Promise<FeedPosition | undefined> {
  const claimed = await run(
    `MERGE (s:GraphState {org: $org}) SET s.locked = true
    WITH s WHERE s.token IS NULL OR s.renewed <= timestamp() - $leaseMs
    SET s.token = $token, s.renewed = timestamp() RETURN s.org AS org`,
    { org: scope.organizationId, token, leaseMs },
  );
  if (claimed.length === 0) throw new CopyTaken('another process copies the graph to Neo4j');
  return readState(run, scope);
}

/** Ends the lease, if it still is that of the token. */
export async function releaseState(
  run: RunCypher,
  { organizationId: org }: DataScope,
  token: string,
): Promise<void> {
  await run(
    'MATCH (s:GraphState {org: $org}) SET s.locked = true WITH s WHERE s.token = $token SET s.token = null',
    {
      org,
      token,
    },
  );
}

/** Locks the state until the end of the transaction and renews the lease. @throws CopyTaken if it is lost */
export async function lockState(
  run: RunCypher,
  { organizationId: org }: DataScope,
  token: string,
): Promise<void> {
  const held = await run(
    `MATCH (s:GraphState {org: $org}) SET s.locked = true
    WITH s WHERE s.token = $token SET s.renewed = timestamp() RETURN s.org AS org`,
    { org, token },
  );
  if (held.length === 0)
    throw new CopyTaken('another process copies the graph to Neo4j, or Neo4j was emptied');
}

/** Records what was applied; `undefined` while the organization is filled. */
export async function writeState(
  run: RunCypher,
  { organizationId: org }: DataScope,
  position: FeedPosition | undefined,
): Promise<void> {
  await run('MATCH (s:GraphState {org: $org}) SET s.store = $store, s.sequence = $sequence', {
    org,
    store: position?.storeId ?? null,
    sequence: position?.sequence ?? null,
  });
}
