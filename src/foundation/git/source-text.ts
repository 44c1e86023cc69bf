import { InvalidInput } from '../kernel/errors.ts';

/** The refusal of a source, with the forms that work. The text itself is never repeated: it may hold a password. */
export function refuse(why: string): InvalidInput {
  return new InvalidInput(`${why} Use https://host/owner/name or git@host:owner/name.`);
}

/** `owner/name` of the path in a URL; `name` alone where there is no owner. */
export function repositoryNameOf(path: string): string {
  const segments = path
    .replace(/\.git$/, '')
    .split('/')
    .filter((segment) => segment !== '' && !segment.startsWith('~'));
  return segments.slice(-2).join('/') || 'repository';
}
