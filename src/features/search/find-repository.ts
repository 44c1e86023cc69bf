import type { Queries } from '../../foundation/db/database.ts';
import { closestName } from '../../foundation/kernel/closest-name.ts';
import { InvalidInput, NotFound } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import {
  listPendingRepositories,
  listSearchableRepositories,
  type SearchableRepository,
} from '../repositories/repository-store.ts';

/**
 * The searchable repository with this id or name. Absent and foreign ones are told alike.
 * @throws NotFound, with the state where it is known but not indexed yet.
 */
export async function findSearchable(
  queries: Queries,
  scope: OrgScope,
  idOrName: string,
): Promise<SearchableRepository> {
  const all = await listSearchableRepositories(queries, scope);
  const found = named(all, idOrName);
  if (found !== undefined) return found;
  const pending = named(await listPendingRepositories(queries, scope), idOrName);
  if (pending !== undefined) {
    throw new NotFound(
      `Repository \`${pending.name}\` is not readable yet (${pending.state}); try again when it is indexed.`,
    );
  }
  throw new NotFound(`There is no repository \`${shown(idOrName)}\` here${advice(idOrName, all)}`);
}

/** Narrows to the repositories named, by name or id. @throws InvalidInput for one that is not there. */
export function selectRepositories(
  all: readonly SearchableRepository[],
  names: readonly string[] | undefined,
): readonly SearchableRepository[] {
  if (names === undefined || names.length === 0) return all;
  return [...new Set(names)].map((name) => {
    const found = named(all, name);
    if (found !== undefined) return found;
    const message = `there is no searchable repository \`${shown(name)}\`${advice(name, all)}`;
    throw new InvalidInput(`Repositories: ${message}`, { errors: [{ path: 'repositories', message }] });
  });
}

function named<T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
  idOrName: string,
): T | undefined {
  return all.find(({ id, name }) => name === idOrName || id === idOrName);
}

function advice(wanted: string, all: readonly SearchableRepository[]): string {
  const names = all.map(({ name }) => name);
  const meant =
    closestName(wanted, names) ?? names.find((name) => wanted !== '' && name.endsWith(`/${wanted}`));
  return meant === undefined ? '; list_repositories shows those there are.' : `; did you mean \`${meant}\`?`;
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
