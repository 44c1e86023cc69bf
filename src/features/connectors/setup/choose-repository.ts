import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { requireConnection } from '../connections/connection-store.ts';
import { requireAuthorized } from './bind-connection.ts';
import { findPlace, type PlaceRequest } from './context-repository.ts';
import type { SetupDeps } from './setup-deps.ts';
import { changeChoices } from './wizard-choices.ts';

export interface RepositoryChoice extends PlaceRequest {
  readonly id: ConnectionId;
  readonly revision: number;
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
  const { opened, repository: found, branch } = await findPlace(deps.githosts, scope, choice, signal);
  const repository = { githostConnectionId: opened.githost.id, name: found.fullName, branch };
  await changeChoices(deps, scope, actor, choice, () => ({ repository }));
}
