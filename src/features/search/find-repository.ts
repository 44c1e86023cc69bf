import type { Queries } from '../../foundation/db/database.ts';
import { closestName } from '../../foundation/kernel/closest-name.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import {
  asSearchable,
  findRepository,
  listSearchableNames,
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
  const repository = await findRepository(queries, scope, idOrName);
  const searchable = repository && asSearchable(repository);
  if (searchable !== undefined) return searchable;
  if (repository !== undefined && repository.state !== 'removing') {
    const { name, state } = repository;
    throw new NotFound(
      `Repository \`${name}\` is not readable yet (${state}); try again when it is indexed.`,
    );
  }
  const names = await listSearchableNames(queries, scope);
  throw new NotFound(`There is no repository \`${shown(idOrName)}\` here${advice(idOrName, names)}`);
}

/** Narrows to the repositories named, by name or id. @throws InvalidInput for one that is not there. */
export function selectRepositories(
  all: readonly SearchableRepository[],
  names: readonly string[] | undefined,
): readonly SearchableRepository[] {
  if (names === undefined || names.length === 0) return all;
  return [...new Set(names)].map((name) => {
    const found = all.find((repository) => repository.name === name || repository.id === name);
    if (found !== undefined) return found;
    const message = `there is no searchable repository \`${shown(name)}\`${advice(
      name,
      all.map((repository) => repository.name),
    )}`;
    throw invalidField('repositories', message, `Repositories: ${message}`);
  });
}

function advice(wanted: string, names: readonly string[]): string {
  const meant =
    closestName(wanted, names) ?? names.find((name) => wanted !== '' && name.endsWith(`/${wanted}`));
  return meant === undefined ? '; list_repositories shows those there are.' : `; did you mean \`${meant}\`?`;
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
