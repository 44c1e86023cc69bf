import type { OrganizationId } from './ids.ts';

/**
 * What a caller may see. First argument of every read in every store and port: an adapter that forgets it
 * does not compile, and one that ignores it fails its contract suite's cross-organization case.
 */
export interface OrgScope {
  readonly organizationId: OrganizationId;
  readonly orgSlug: string;
}
