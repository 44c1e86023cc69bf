import type { OrganizationId } from './ids.ts';

/**
 * The organization that a caller may read. It is the first argument of every read in every store and port: an adapter
 * without it does not compile, and one that ignores it fails the cross-organization case of its contract suite.
 */
export interface OrgScope {
  readonly organizationId: OrganizationId;
  readonly orgSlug: string;
}
