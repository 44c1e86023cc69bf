import { type Selectable, sql } from 'kysely';
import type { Queries } from '../../foundation/db/database.ts';
import { parseJsonColumn } from '../../foundation/db/json-column.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { readQueueTime } from '../../foundation/jobs/queue-time.ts';
import { type Clock, systemClock } from '../../foundation/kernel/clock.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import {
  type ConnectionId,
  type MirrorTargetId,
  newId,
  type OrganizationId,
} from '../../foundation/kernel/ids.ts';
import type { DataScope, OrgScope } from '../../foundation/kernel/org-scope.ts';
import { isCommittable } from './committable-changes.ts';
import { comparedTip, type MirrorError, type MirrorTarget, mirrorError } from './mirror-target.ts';
import type { RepositoryKey, TargetRepository } from './repository-key.ts';
import type { MirrorTargetRow } from './tables.ts';
import { mirrorCommit } from './tasks.ts';

interface TargetRequest {
  /** Returned by `hostedTarget`, which checks that the repository may be written. */
  readonly repository: TargetRepository;
  /** Checked by `checkRefName`. */
  readonly branch: string;
  /** Connection whose credentials push; absent if the address needs none. */
  readonly githostConnectionId?: ConnectionId | undefined;
}

/**
 * Returns the target of a repository and branch, creating it if it is missing. With another address or connection, it
 * updates the target and retries changes that could not be pushed.
 * @throws Conflict `target_taken` if it belongs to another organization.
 */
export async function ensureTarget(
  tx: Queries,
  scope: DataScope,
  wanted: TargetRequest,
  now: number,
): Promise<MirrorTarget> {
  const { source, key, hostRepositoryId } = wanted.repository;
  const access = {
    source: source.displayName,
    githost_connection_id: wanted.githostConnectionId ?? null,
    host_repository_id: hostRepositoryId ?? null,
  };
  await tx
    .insertInto('mirror_targets')
    .values({
      id: newId<MirrorTargetId>(now),
      organization_id: scope.organizationId,
      repository: key,
      branch: wanted.branch,
      ...access,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['repository', 'branch']).doNothing())
    .execute();
  const row = await tx
    .selectFrom('mirror_targets')
    .selectAll()
    .where('repository', '=', key)
    .where('branch', '=', wanted.branch)
    .executeTakeFirstOrThrow();
  if (row.organization_id !== scope.organizationId) {
    throw new Conflict(
      'target_taken',
      'Another organization of this service mirrors into this repository and branch. Choose another repository or branch.',
    );
  }
  if (row.source === access.source && row.githost_connection_id === access.githost_connection_id)
    return toTarget(row);
  const target = toTarget({ ...row, ...access, error: null });
  await changeTarget(tx, target.id, { ...access, error: null });
  await enqueue(tx, mirrorCommit, { targetId: target.id });
  return target;
}

/**
 * Finds a target by the id in a job payload; `undefined` if it was removed. For jobs only; requests must not use it.
 */
export async function findTarget(queries: Queries, id: MirrorTargetId): Promise<MirrorTarget | undefined> {
  const row = await queries.selectFrom('mirror_targets').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toTarget(row);
}

export async function changeTarget(
  tx: Queries,
  id: MirrorTargetId,
  columns: Partial<Omit<MirrorTargetRow, 'id' | 'organization_id' | 'repository' | 'branch'>>,
): Promise<void> {
  await tx.updateTable('mirror_targets').set(columns).where('id', '=', id).execute();
}

/** A push to a repository of a Git host, as a webhook reports it. */
export interface ReportedPush {
  readonly organizationId: OrganizationId;
  readonly repository: RepositoryKey;
  /** The branch that moved; `undefined` if something else about the repository changed. */
  readonly branch: string | undefined;
  readonly commit: string | undefined;
}

/** Returns the source of the target whose last pushed commit this is; `undefined` if somebody else pushed it. */
export async function sourceOfOwnPush(queries: Queries, push: ReportedPush): Promise<string | undefined> {
  if (push.branch === undefined || push.commit === undefined) return undefined;
  const row = await queries
    .selectFrom('mirror_targets')
    .select('source')
    .where('organization_id', '=', push.organizationId)
    .where('repository', '=', push.repository)
    .where('branch', '=', push.branch)
    .where('head', '=', push.commit)
    .executeTakeFirst();
  return row?.source;
}

/**
 * Deletes a target and its pending changes; mirrored files stay in the repository. The next `reconcileMirror` on each
 * host deletes its copies. Idempotent.
 */
export async function removeTarget(tx: Queries, scope: OrgScope, id: MirrorTargetId): Promise<void> {
  await tx
    .deleteFrom('mirror_targets')
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id)
    .execute();
}

export function toTarget(row: Selectable<MirrorTargetRow>): MirrorTarget {
  return {
    id: row.id as MirrorTargetId,
    organizationId: row.organization_id as OrganizationId,
    githostConnectionId: (row.githost_connection_id as ConnectionId | null) ?? undefined,
    hostRepositoryId: row.host_repository_id ?? undefined,
    source: row.source,
    branch: row.branch,
    head: row.head ?? undefined,
    committedAt: row.committed_at ?? undefined,
    pushing: row.pushing ?? undefined,
    compared: parseJsonColumn(comparedTip, row.compared),
    error: parseJsonColumn(mirrorError, row.error),
  };
}

/** Returns the query of the targets with an error. */
function failedTargets(queries: Queries) {
  return queries.selectFrom('mirror_targets').selectAll().where('error', 'is not', null);
}

/** Starts the commits of the targets of a Git-host connection whose last push failed. */
export async function commitWaiting(
  tx: Queries,
  { id, organizationId }: { readonly id: ConnectionId; readonly organizationId: OrganizationId },
): Promise<void> {
  const ofHost = failedTargets(tx).where('githost_connection_id', '=', id);
  const rows = await ofHost.where('organization_id', '=', organizationId).execute();
  const runAt = await readQueueTime(tx, systemClock);
  for (const row of rows) await enqueue(tx, mirrorCommit, { targetId: row.id as MirrorTargetId }, { runAt });
}

/** Returns the errors of the given targets, by target. Targets without an error are left out. */
export async function listTargetErrors(
  queries: Queries,
  ids: readonly MirrorTargetId[],
): Promise<ReadonlyMap<string, MirrorError>> {
  if (ids.length === 0) return new Map();
  const rows = await failedTargets(queries).where('id', 'in', ids).execute();
  return new Map(rows.map(toTarget).flatMap(({ id, error }) => (error === undefined ? [] : [[id, error]])));
}

/** The state of mirroring in the whole deployment. For the host operator only; requests must not use it. */
export interface MirrorStatus {
  /** Number of files that wait to be committed. */
  readonly waiting: number;
  /** Their total size. */
  readonly bytes: number;
  /** Age of the oldest change that can be committed now, in milliseconds; 0 if there is none. */
  readonly oldestMs: number;
  /** Targets that refuse commits, with the reason: the longest-blocked ones. */
  readonly refused: readonly MirrorTarget[];
}

/** Maximum number of targets in a status. */
const maxRefused = 20;

export async function mirrorStatus(queries: Queries, clock: Clock): Promise<MirrorStatus> {
  const { waiting, bytes, oldest } = await queries
    .selectFrom('mirror_changes')
    .select(({ fn }) => [
      fn.countAll<number>().as('waiting'),
      // A sum of int8 is numeric, and so text, on Postgres.
      fn.sum<string | number | null>('bytes').as('bytes'),
      sql<number | null>`min(case when ${isCommittable} then created_at end)`.as('oldest'),
    ])
    .executeTakeFirstOrThrow();
  const longestFirst = failedTargets(queries).orderBy('committed_at').orderBy('id');
  const refused = await longestFirst.limit(maxRefused).execute();
  const now = await readQueueTime(queries, clock);
  return {
    waiting,
    bytes: Number(bytes ?? 0),
    oldestMs: oldest === null ? 0 : Math.max(0, now - oldest),
    refused: refused.map(toTarget),
  };
}
