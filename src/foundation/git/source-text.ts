import type { InvalidInput } from '../kernel/errors.ts';
import { invalidField } from '../kernel/invalid-field.ts';

/** The refusal of a source, with the forms that work. The text itself is never repeated: it may hold a password. */
export function refuse(why: string): InvalidInput {
  const message = `${why} Use https://host/owner/name or git@host:owner/name.`;
  return invalidField('source', message, message);
}

/** `owner/name` of a path, or `name` alone where there is no owner; characters no repository name has become `-`. */
export function repositoryNameOf(path: string): string {
  const segments = path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter((segment) => !segment.startsWith('~'))
    .map((segment) => segment.replace(/[^A-Za-z\d_.-]+/g, '-').replace(/^[-.]+|-+$/g, ''))
    .filter((segment) => segment !== '');
  return (
    segments
      .slice(-2)
      .join('/')
      .slice(-100)
      .replace(/^[-./]+/, '') || 'repository'
  );
}
