import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { requireConnection } from '../connections/connection-store.ts';
import { checkBranch, requireAuthorized } from './bind-connection.ts';
import { findWritableRepository, openContextHost } from './context-repository.ts';
import type { SetupDeps } from './setup-deps.ts';
import { changeChoices } from './wizard-choices.ts';

export interface RepositoryChoice {
  readonly id: ConnectionId;
  readonly revision: number;
  readonly githostConnectionId: string;
  readonly repository: string;
  /** Default: the default branch. */
  readonly branch?: string | undefined;
}

/**
 * Saves the repository and branch that a person chose in the wizard, after the checks of a binding at the Git host.
 * @throws NotFound; InvalidInput naming the field or the missing permission; Conflict as `changeChoices`
 */
export async function chooseRepository(
  deps: SetupDeps,
  scope: OrgScope,
  actor: AuditActor,
  choice: RepositoryChoice,
  signal: AbortSignal,
): Promise<void> {
  requireAuthorized(await requireConnection(deps.database.queries, scope, choice.id));
  const githostConnectionId = choice.githostConnectionId as ConnectionId;
  const opened = await openContextHost(deps.githosts, scope.organizationId, { githostConnectionId });
  const found = await findWritableRepository(opened, choice.repository, signal);
  const branch = await checkBranch(opened, found, choice.branch, signal);
  const repository = { githostConnectionId, name: found.fullName, branch };
  await changeChoices(deps, scope, actor, choice, () => ({ repository }));
}
