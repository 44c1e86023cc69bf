import { Conflict } from '../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { removeSecrets } from '../../foundation/secrets/secret-store.ts';
import type { AuditActor } from '../identity/audit/audit.ts';
import { recordAudit } from '../identity/audit/audit-store.ts';
import { deleteGithost, noSuchGithost, requireGithost } from './githost-store.ts';
import { usersOfGithost } from './githost-users.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { hasHooksToRemove } from './remove-hook.ts';

/**
 * Deletes a connection and its secrets in one transaction.
 * @throws NotFound, for unknown ids and for ids of other organizations alike; Conflict while repositories or context
 *   repositories use it, or its webhooks are still being removed
 */
export async function removeGithost(
  { database, clock }: Pick<GithostsDeps, 'database' | 'clock'>,
  scope: OrgScope,
  actor: AuditActor,
  id: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const connection = await requireGithost(tx, scope, id);
    const users = await usersOfGithost(tx, scope, connection.id);
    if (users.length > 0) throw inUse(connection.name, users);
    if (await hasHooksToRemove(tx, connection.id)) throw hasHooks(connection.name);
    if (!(await deleteGithost(tx, scope, id))) throw noSuchGithost();
    await removeSecrets(tx, id as ConnectionId);
    const { kind, name, url } = connection;
    const entry = { organizationId: scope.organizationId, actor, action: 'githost.removed', target: id };
    await recordAudit(tx, { ...entry, details: { kind, name, url } }, clock());
  });
}

function hasHooks(name: string): Conflict {
  return new Conflict(
    'conflict',
    `The webhooks of ${name} are being removed at the Git host, which needs its credentials. Try again in a moment.`,
  );
}

function inUse(name: string, users: readonly string[]): Conflict {
  const shown = users.slice(0, 5).join(', ');
  const more = users.length > 5 ? ', …' : '';
  return new Conflict(
    'conflict',
    `${name} is used by ${shown}${more}. Remove them first, or give them other credentials.`,
  );
}
