import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Queries } from '../../foundation/db/database.ts';
import type { MirrorTargetRow } from '../../foundation/db/tables.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import {
  type ConnectionId,
  type MirrorTargetId,
  newId,
  type OrganizationId,
} from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { MirrorError, MirrorTarget } from './mirror-target.ts';
import type { TargetRepository } from './target-repository.ts';
import { mirrorCommit } from './tasks.ts';

export interface WantedTarget {
  /** From `readTargetRepository`, which judged whether it may be named. */
  readonly repository: TargetRepository;
  /** Checked by `checkRefName`. */
  readonly branch: string;
  /** Whose credentials push; absent where the address needs none. */
  readonly githostConnectionId?: ConnectionId | undefined;
}

/**
 * The target of a repository and branch, made when it is missing. Asked again with another address or connection, the
 * target takes these and tries again what it could not push.
 * @throws Conflict `target_taken` where another organization has it.
 * @internal Waits for the binding of a connection; until then its tests alone make targets.
 */
export async function ensureTarget(
  tx: Queries,
  scope: OrgScope,
  wanted: WantedTarget,
  now: number,
): Promise<MirrorTarget> {
  const { source, key } = wanted.repository;
  const reached = {
    source: source.displayName,
    githost_connection_id: wanted.githostConnectionId ?? null,
  };
  const fresh = { head: null, committed_at: null, error: null, created_at: now };
  await tx
    .insertInto('mirror_targets')
    .values({
      id: newId<MirrorTargetId>(now),
      organization_id: scope.organizationId,
      repository: key,
      branch: wanted.branch,
      ...reached,
      ...fresh,
    })
    .onConflict((conflict) => conflict.columns(['repository', 'branch']).doNothing())
    .execute();
  const row = await tx
    .selectFrom('mirror_targets')
    .selectAll()
    .where('repository', '=', key)
    .where('branch', '=', wanted.branch)
    .executeTakeFirstOrThrow();
  if (row.organization_id !== scope.organizationId) throw taken();
  const same = row.source === reached.source && row.githost_connection_id === reached.githost_connection_id;
  return same ? toTarget(row) : reachAnew(tx, row, reached);
}

/** For the worker's own work, from the id in a payload; a request never comes here. `undefined` once it is removed. */
export async function findTarget(queries: Queries, id: MirrorTargetId): Promise<MirrorTarget | undefined> {
  const row = await queries.selectFrom('mirror_targets').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toTarget(row);
}

/** Notes that everything a run had to do was done. `commit` where it was pushed. */
export async function recordSuccess(
  tx: Queries,
  id: MirrorTargetId,
  pushed: { readonly commit: string; readonly at: number } | undefined,
): Promise<void> {
  await tx
    .updateTable('mirror_targets')
    .set({
      error: null,
      ...(pushed === undefined ? {} : { head: pushed.commit, committed_at: pushed.at }),
    })
    .where('id', '=', id)
    .execute();
}

/** Shows what keeps the changes of a target waiting; the next success takes it away. */
export async function recordError(tx: Queries, id: MirrorTargetId, error: MirrorError): Promise<void> {
  await tx
    .updateTable('mirror_targets')
    .set({ error: JSON.stringify(error) })
    .where('id', '=', id)
    .execute();
}

/**
 * Forgets a target and what waits for it; what was mirrored stays in the repository. Its copies go with the next
 * round of `tendMirror` on each host. Asked again it changes nothing.
 * @internal Waits for the removal of a connection's binding; until then its tests alone remove targets.
 */
export async function removeTarget(tx: Queries, scope: OrgScope, id: MirrorTargetId): Promise<void> {
  await tx
    .deleteFrom('mirror_targets')
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id)
    .execute();
}

/** Which of these ids are targets still. */
export async function presentTargets(queries: Queries, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await queries.selectFrom('mirror_targets').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

export function toTarget(row: Selectable<MirrorTargetRow>): MirrorTarget {
  return {
    id: row.id as MirrorTargetId,
    organizationId: row.organization_id as OrganizationId,
    githostConnectionId: (row.githost_connection_id as ConnectionId | null) ?? undefined,
    source: row.source,
    branch: row.branch,
    head: row.head ?? undefined,
    committedAt: row.committed_at ?? undefined,
    error: row.error === null ? undefined : storedError.parse(JSON.parse(row.error)),
  };
}

const storedError: z.ZodType<MirrorError> = z.object({
  code: z.string(),
  message: z.string(),
  permanent: z.boolean(),
  at: z.number(),
});

async function reachAnew(
  tx: Queries,
  row: Selectable<MirrorTargetRow>,
  reached: Pick<MirrorTargetRow, 'source' | 'githost_connection_id'>,
): Promise<MirrorTarget> {
  const changed = { ...reached, error: null };
  await tx.updateTable('mirror_targets').set(changed).where('id', '=', row.id).execute();
  const target = toTarget({ ...row, ...changed });
  await enqueue(tx, mirrorCommit, { targetId: target.id });
  return target;
}

function taken(): Conflict {
  return new Conflict(
    'target_taken',
    'Another organization of this service mirrors into this repository and branch. Choose another repository or branch.',
  );
}

/** Targets of the whole deployment for which changes wait. For the worker and the host operator; requests never come here. */
export async function listWaitingTargets(queries: Queries): Promise<readonly MirrorTarget[]> {
  const rows = await queries
    .selectFrom('mirror_targets')
    .selectAll()
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('mirror_changes')
          .select('number')
          .whereRef('mirror_changes.target_id', '=', 'mirror_targets.id'),
      ),
    )
    .orderBy('id')
    .execute();
  return rows.map(toTarget);
}

/** Targets of the whole deployment that take no commits, those first that have not for longest. For the host operator. */
export async function listRefusedTargets(queries: Queries, limit: number): Promise<readonly MirrorTarget[]> {
  const rows = await queries
    .selectFrom('mirror_targets')
    .selectAll()
    .where('error', 'is not', null)
    .orderBy('committed_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toTarget);
}
