import type { InvalidInput } from '../../kernel/errors.ts';
import { withoutEnd } from '../../kernel/text/cut-text.ts';
import { invalidField } from '../../kernel/wire/invalid-field.ts';

/**
 * Returns the error for an invalid source, with the valid formats. The text itself is never repeated, because it may
 * contain a password.
 */
export function refuse(why: string): InvalidInput {
  const message = `${why} Use https://host/owner/name or git@host:owner/name.`;
  return invalidField('source', message, message);
}

/**
 * Returns `owner/name` of a path, or only `name` if there is no owner. Characters that a repository name cannot
 * contain become `-`.
 */
export function repositoryNameOf(path: string): string {
  const segments = withoutEnd(path, '/')
    .replace(/\.git$/, '')
    .split('/')
    .filter((segment) => !segment.startsWith('~'))
    .map((segment) => segment.replace(/[^A-Za-z\d_.-]+/g, '-').replace(/^[-.]+/, ''))
    .map((segment) => withoutEnd(segment, '-'))
    .filter((segment) => segment !== '');
  return (
    segments
      .slice(-2)
      .join('/')
      .slice(-100)
      .replace(/^[-./]+/, '') || 'repository'
  );
}
