import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { newId, type OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { DataScope, OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { checkDisplayName } from './display-name.ts';
import { checkOrgSlug, type Organization } from './organization.ts';

export interface EnsuredOrganization extends Organization {
  /** True if this call created the organization. */
  readonly created: boolean;
}

/** Returns the organization with that slug and creates it if it is missing. An existing organization keeps its name. */
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

/** Finds an organization for the host operator. Requests must use `enterOrganization`, which checks the membership. */
export async function findOrganization(queries: Queries, slug: string): Promise<Organization | undefined> {
  const row = await queries
    .selectFrom('organizations')
    .select(['id', 'slug', 'name'])
    .where('slug', '=', checkOrgSlug(slug))
    .executeTakeFirst();
  return row && { ...row, id: row.id as OrganizationId };
}

/** Returns whether this deployment serves more than one organization. */
export async function hasSeveralOrganizations(queries: Queries): Promise<boolean> {
  const rows = await queries.selectFrom('organizations').select('id').limit(2).execute();
  return rows.length > 1;
}

/** Returns the scope of a job from the organization id in its payload; `undefined` if the organization was deleted. */
export async function organizationScope(queries: Queries, id: OrganizationId): Promise<OrgScope | undefined> {
  const row = await queries
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', id)
    .executeTakeFirst();
  return row && { organizationId: id, orgSlug: row.slug };
}

/** Returns the slug and name of an organization that has data. @throws Error if there is none */
export function readOrganization(
  queries: Queries,
  { organizationId }: DataScope,
): Promise<Pick<Organization, 'slug' | 'name'>> {
  return queries
    .selectFrom('organizations')
    .select(['slug', 'name'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
}
