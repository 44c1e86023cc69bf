import { InvalidInput } from '../../foundation/kernel/errors.ts';

/** Reads the organization from a query string. A repeated parameter arrives as a list. @throws InvalidInput */
export function namedOrganization(query: unknown): string | undefined {
  const { orgSlug } = query as { orgSlug?: unknown };
  if (orgSlug === undefined || typeof orgSlug === 'string') return orgSlug;
  throw new InvalidInput('The query contains orgSlug more than once. Send it once.');
}
