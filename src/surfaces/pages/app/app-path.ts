/** Returns the path of a page of an organization: `/app/acme/repositories`. `below` is already encoded. */
export function appPath(orgSlug: string, below = ''): string {
  return `/app/${encodeURIComponent(orgSlug)}${below}`;
}
