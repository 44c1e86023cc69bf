import type { OrganizationId, RepositoryId } from './ids.ts';

/**
 * The organization whose data a port reads or writes. It is the first argument of every read: an adapter without it
 * does not compile, and one that ignores it fails the cross-organization case of its contract suite.
 */
export interface DataScope {
  readonly organizationId: OrganizationId;
  /**
   * The only repositories that the caller may read, and whose content and records answers may show. Default: all of the
   * organization. The lists and look-ups of repositories and the view of the knowledge graph obey it.
   */
  readonly repositories?: ReadonlySet<RepositoryId>;
  /**
   * Opaque id of the person who asks, whose slow searches slow down nobody else. It limits nothing that is read.
   * Default: callers without one count as one.
   */
  readonly callerId?: string;
}

/** The organization that a caller may read, as every store takes it, with the slug that appears in URLs. */
export interface OrgScope extends DataScope {
  readonly orgSlug: string;
}
