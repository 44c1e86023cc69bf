import { InvalidInput } from '../../foundation/kernel/errors.ts';

/** The organization that a query names, where no path does. A repeated parameter arrives as a list. @throws InvalidInput */
export function namedOrganization(query: unknown): string | undefined {
  const { orgSlug } = query as { orgSlug?: unknown };
  if (orgSlug === undefined || typeof orgSlug === 'string') return orgSlug;
  throw new InvalidInput('The query names several organizations; orgSlug may be given once.');
}
