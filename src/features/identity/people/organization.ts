import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import { invalidField } from '../../../foundation/kernel/invalid-field.ts';

export interface Organization {
  readonly id: OrganizationId;
  /** Its name in URLs (contract, section 3). */
  readonly slug: string;
  readonly name: string;
}

const slugPattern = /^[a-z0-9][a-z0-9-]{0,38}$/;

/** First segments of the service's own paths. */
const reserved: ReadonlySet<string> = new Set(['api', 'app', 'mcp']);

export function isOrgSlug(text: string): boolean {
  return slugPattern.test(text) && !reserved.has(text);
}

/** The slug of a new organization. @throws InvalidInput naming the rule. */
export function checkOrgSlug(text: string): string {
  if (isOrgSlug(text)) return text;
  const message = reserved.has(text)
    ? `must not be one of the reserved words ${[...reserved].join(', ')}`
    : 'must be 1 to 39 lower-case letters, digits and hyphens, and not begin with a hyphen';
  throw invalidField('orgSlug', message, `The organization slug ${message}.`);
}
