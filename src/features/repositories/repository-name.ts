import { invalidField } from '../../foundation/kernel/invalid-field.ts';

const maxLength = 100;

/** Segments as Git hosts allow them, so that a name fits into `repo:` filters and `ctx://` addresses as it is. */
const pattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_.][A-Za-z0-9_.-]*){0,4}$/;

export function isRepositoryName(text: string): boolean {
  const dotsOnly = text.split('/').some((segment) => /^\.+$/.test(segment));
  return text.length <= maxLength && pattern.test(text) && !dotsOnly;
}

/** The name of a new repository in its organization, such as `owner/name`. @throws InvalidInput naming the rule. */
export function checkRepositoryName(name: string): string {
  if (isRepositoryName(name)) return name;
  const message =
    `must be 1 to ${maxLength} characters: letters, digits, "_", "-" and ".", ` +
    'in up to five segments divided by "/"';
  throw invalidField('name', message, `The repository name ${message}.`);
}
