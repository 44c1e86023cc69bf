import { closestName } from '../../foundation/kernel/text/closest-name.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

const maxLength = 100;

/** Segments as Git hosts allow them, so that a name needs no escaping in `repo:` filters and `ctx://` addresses. */
const pattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.][A-Za-z0-9_.-]*){0,4}$/;

export function isRepositoryName(text: string): boolean {
  const dotsOnly = text.split('/').some((segment) => /^\.+$/.test(segment));
  return text.length <= maxLength && pattern.test(text) && !dotsOnly;
}

/** Checks the name of a new repository, such as `owner/name`. @throws InvalidInput naming the rule. */
export function checkRepositoryName(name: string): string {
  if (isRepositoryName(name)) return name;
  const message =
    `must be 1 to ${maxLength} characters: letters, digits, "_", "-" and ".", ` +
    'in up to five segments separated by "/"';
  throw invalidField('name', message, `The repository name ${message}.`);
}

/**
 * Returns the repository that `wanted` probably meant, for "did you mean" hints; `owner/name` is also compared without
 * its owner.
 */
export function closestRepository(wanted: string, names: readonly string[]): string | undefined {
  const nearest = closestName(wanted, names);
  if (nearest !== undefined || wanted === '') return nearest;
  const last = closestName(wanted, names.map(lastPart));
  return last && names.find((name) => lastPart(name) === last);
}

/** Returns what follows the last slash of a name. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
