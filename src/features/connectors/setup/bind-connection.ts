import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict, InvalidInput, OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId, MirrorTargetId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { fieldErrorsOf } from '../../../foundation/kernel/wire/field-errors.ts';
import { fieldName } from '../../../foundation/kernel/wire/json-pointer.ts';
import { leaveHook } from '../../githosts/remove-hook.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { forgetFiles } from '../../mirror/file-store.ts';
import { removeTarget } from '../../mirror/mirror-target-store.ts';
import { followBranch } from '../../repositories/following/follow-branch.ts';
import { repositoryGone } from '../configuration/inspect-configuration.ts';
import { type Connection, isConnected, requireAuthorized } from '../connections/connection.ts';
import {
  auditConnection,
  changeConnection,
  enterState,
  findOtherConnection,
  lockConnection,
  requireConnection,
} from '../connections/connection-store.ts';
import { connectorOf, type SetupDeps } from '../connections/connections-deps.ts';
import { forgetCommits } from '../entities/restore-files.ts';
import type { Connector } from '../port.ts';
import {
  type ContextPlace,
  ensureContextHook,
  ensureContextTarget,
  findPlace,
  type PlaceRequest,
} from './context-repository.ts';

export interface BindingRequest extends PlaceRequest {
  readonly scope: Readonly<Record<string, unknown>>;
}

interface BindingCall {
  readonly scope: OrgScope;
  readonly actor: AuditActor;
  readonly id: ConnectionId;
  readonly request: BindingRequest;
  /** False if the branch of an open pull request is known to be gone. */
  readonly isProposed?: boolean;
}

/**
 * Chooses the repository, branch and scope of a connection. The Git host is asked for the repository and the
 * permission to write. A connected connection can only change its scope, which takes effect by the next configuration
 * pull request, unless its repository is gone.
 * @throws NotFound; InvalidInput naming the field or the missing permission; Conflict `target_taken` if another
 *   connection of the kind, or another organization, has the branch
 */
export async function bindConnection(deps: SetupDeps, call: BindingCall, signal: AbortSignal): Promise<void> {
  const { scope, actor, id, request } = call;
  const connection = await requireConnection(deps.database.queries, scope, id);
  requireAuthorized(connection);
  const connector = connectorOf(deps.connectors, connection.kind);
  const chosen = checkScope(connector, request.scope);
  const place = await findPlace(deps, scope, request, signal);
  await saveBinding(deps, call, place, chosen);
  await ensureContextHook(deps, scope, id, place, signal);
  if (!place.repository.empty) await indexContextRepository(deps, scope, actor, id);
}

/** Returns the checked scope with its defaults. @throws InvalidInput naming the fields */
function checkScope(connector: Connector, given: BindingRequest['scope']): Readonly<Record<string, unknown>> {
  const checked = connector.configuration.scope.safeParse(given);
  if (checked.success) return checked.data;
  const errors = fieldErrorsOf(checked.error.issues, ['scope']);
  const { path, message } = errors[0]!;
  throw new InvalidInput(`\`${fieldName(path)}\`: ${message}.`, { errors });
}

async function saveBinding(
  deps: SetupDeps,
  { scope, actor, id, isProposed = true }: BindingCall,
  place: ContextPlace,
  chosen: BindingRequest['scope'],
): Promise<void> {
  const { repository, branch } = place;
  const { githost } = place.opened;
  await deps.database.transaction(async (tx) => {
    const connection = await lockConnection(tx, scope, id);
    requireAuthorized(connection);
    const target = await ensureContextTarget(tx, deps, githost, place);
    await checkFree(tx, connection, target.id);
    const former = connection.binding?.targetId;
    const isMoved = former !== target.id;
    checkMove(connection, isMoved, isProposed);
    const columns = {
      githost_connection_id: githost.id,
      host_repository_id: repository.id,
      repository: repository.fullName,
      branch,
      scope: JSON.stringify(chosen),
      target_id: target.id,
    };
    if (isMoved) {
      const fresh = {
        pull_request: null,
        live_config: null,
        live_commit: null,
        next_check_at: null,
        error: null,
      };
      await enterState(tx, connection, 'authorized', { ...columns, ...fresh });
      await forgetCommits(tx, id);
      await forgetFiles(tx, id);
      await releaseTarget(tx, scope, former);
      await leaveFormerHook(tx, connection, repository.id);
    } else await changeConnection(tx, connection, columns);
    const details = { repository: repository.fullName, branch, scope: chosen };
    await auditConnection(tx, connection, actor, 'connection.bound', details, deps.clock());
  });
}

/** Starts the removal of the webhook of the former repository, unless only the branch is another. */
async function leaveFormerHook(
  tx: Queries,
  { id, organizationId, binding }: Connection,
  repositoryId: string,
): Promise<void> {
  if (binding === undefined || binding.hostRepositoryId === repositoryId) return;
  const { githostConnectionId, hostRepositoryId, repository: source } = binding;
  await leaveHook(tx, organizationId, { githostConnectionId, hostRepositoryId, source, leaverId: id });
}

/** @throws Conflict `target_taken` if another connection of the kind has the target */
async function checkFree(tx: Queries, connection: Connection, targetId: MirrorTargetId): Promise<void> {
  const other = await findOtherConnection(tx, connection, 'target_id', targetId);
  if (other === undefined) return;
  throw new Conflict(
    'target_taken',
    `The connection ${other.name} mirrors into this repository and branch already. Choose another repository or branch.`,
  );
}

function checkMove(connection: Connection, isMoved: boolean, isProposed: boolean): void {
  const { pull, error } = connection;
  if (isMoved && isConnected(connection) && error?.code !== repositoryGone) {
    throw new Conflict(
      'conflict',
      'A connected connection cannot move to another repository or branch. Add another connection for that one.',
    );
  }
  if (!isMoved && isProposed && pull?.state === 'open') {
    throw new Conflict(
      'conflict',
      `A configuration pull request is open (${pull.branch}). Change the scope in its file, or close it and delete its branch first.`,
    );
  }
}

/** Deletes a target that no connection uses any more; mirrored files stay. */
export async function releaseTarget(
  tx: Queries,
  scope: OrgScope,
  targetId: MirrorTargetId | undefined,
): Promise<void> {
  if (targetId === undefined) return;
  const users = tx.selectFrom('connections').select('id').where('target_id', '=', targetId);
  if ((await users.executeTakeFirst()) === undefined) await removeTarget(tx, scope, targetId);
}

/**
 * Adds the context repository to the repositories of the organization, or its branch to those that a repository
 * follows, so that mirrored files are searchable. A failure is only logged: people can add the branch themselves.
 */
export async function indexContextRepository(
  deps: SetupDeps,
  scope: OrgScope,
  actor: AuditActor,
  id: ConnectionId,
): Promise<void> {
  const { binding } = await requireConnection(deps.database.queries, scope, id);
  if (binding === undefined) return;
  const { repository: source, branch } = binding;
  try {
    await followBranch(deps.repositories, scope, actor, { ...binding, source });
  } catch (error) {
    if (!(error instanceof OrgctxError)) throw error;
    const details = { err: error, connectionId: id, repository: source, branch };
    deps.log.warn(
      details,
      'a context repository was not added to the index; add it with "orgctx repo add <source>", or its branch with "orgctx repo set <name> --branches <branches>", so that its files are searchable',
    );
  }
}
