import type { Queries } from '../../foundation/db/database.ts';
import type { OrganizationId } from '../../foundation/kernel/ids.ts';

/**
 * Returns whether an organization may use the ssh key of the operator, `DATA_DIR/ssh/id_ed25519`: if `named`, the slugs
 * or ids of SSH_KEY_ORGANIZATIONS, contains it. Without names, only if there is no other organization, because its
 * members could otherwise read the private repositories of the others.
 */
export async function mayUseSharedSshKey(
  queries: Queries,
  named: readonly string[],
  organizationId: OrganizationId,
): Promise<boolean> {
  const found = await queries
    .selectFrom('organizations')
    .select(['id', 'slug'])
    .$if(named.length > 0, (query) => query.where('id', '=', organizationId))
    .limit(2)
    .execute();
  const [only] = found;
  if (only?.id !== organizationId || found.length > 1) return false;
  return named.length === 0 || named.includes(only.id) || named.includes(only.slug);
}
