import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { newId, type OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { checkDisplayName } from './display-name.ts';
import { checkOrgSlug, type Organization } from './organization.ts';

export interface EnsuredOrganization extends Organization {
  /** By this call. */
  readonly created: boolean;
}

/** The organization of that slug, created when it is missing; an existing one keeps its name. */
export async function ensureOrganization(
  queries: Queries,
  request: { readonly slug: string; readonly name?: string | undefined },
  clock: Clock,
): Promise<EnsuredOrganization> {
  const slug = checkOrgSlug(request.slug);
  const now = clock();
  const created = await queries
    .insertInto('organizations')
    .values({
      id: newId<OrganizationId>(now),
      slug,
      name: checkDisplayName(request.name ?? slug, 'organization name'),
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id')
    .executeTakeFirst();
  const row = await queries
    .selectFrom('organizations')
    .select(['id', 'slug', 'name'])
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow();
  return { ...row, id: row.id as OrganizationId, created: created !== undefined };
}

/** For the host operator; requests go through `enterOrganization`, which asks for membership. */
export async function findOrganization(queries: Queries, slug: string): Promise<Organization | undefined> {
  const row = await queries
    .selectFrom('organizations')
    .select(['id', 'slug', 'name'])
    .where('slug', '=', checkOrgSlug(slug))
    .executeTakeFirst();
  return row && { ...row, id: row.id as OrganizationId };
}

/** The scope a job works in, from the id in its payload. `undefined` once the organization is gone. */
export async function organizationScope(queries: Queries, id: OrganizationId): Promise<OrgScope | undefined> {
  const row = await queries
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { organizationId: id, orgSlug: row.slug };
}
