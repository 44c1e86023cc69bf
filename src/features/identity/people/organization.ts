import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';

export interface Organization {
  readonly id: OrganizationId;
  /** Identifier in URLs (contract, section 3). */
  readonly slug: string;
  readonly name: string;
}

const slugPattern = /^[a-z0-9][a-z0-9-]{0,38}$/;

/** First path segments that the service uses itself. */
const reserved: ReadonlySet<string> = new Set(['api', 'app', 'mcp']);

/** Returns whether a text has the format of a slug, reserved words included. A slug is shorter than every token. */
export function hasSlugFormat(text: string): boolean {
  return slugPattern.test(text);
}

export function isOrgSlug(text: string): boolean {
  return hasSlugFormat(text) && !reserved.has(text);
}

/** Validates the slug of an organization. @throws InvalidInput, which names the rule */
export function checkOrgSlug(text: string): string {
  if (isOrgSlug(text)) return text;
  const message = reserved.has(text)
    ? `must not be one of the reserved words ${[...reserved].join(', ')}`
    : 'must be 1 to 39 lower-case letters, digits and hyphens, and not begin with a hyphen';
  throw invalidField('orgSlug', message, `The organization slug ${message}.`);
}
