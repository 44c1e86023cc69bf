import type { Queries } from '../../foundation/db/database.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { shorten } from '../../foundation/kernel/text/visible-text.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { closestRepository } from '../repositories/repository-name.ts';
import {
  asSearchable,
  findRepository,
  listSearchableNames,
  type SearchableRepository,
} from '../repositories/repository-store.ts';

/** Maximum length of a name that an error repeats. */
const maxRepeated = 80;

/**
 * Returns the searchable repository with this id or name.
 * @throws NotFound, for unknown repositories and those of other organizations alike; names the state of a repository
 *   that is not indexed yet.
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
  throw new NotFound(
    `There is no repository \`${shorten(idOrName, maxRepeated)}\` here${advice(idOrName, names)}`,
  );
}

/** Selects repositories by name or id. @throws InvalidInput for one that does not exist. */
export function selectRepositories<Each extends Pick<SearchableRepository, 'id' | 'name'>>(
  all: readonly Each[],
  names: readonly string[] | undefined,
): readonly Each[] {
  if (names === undefined || names.length === 0) return all;
  return [...new Set(names)].map((name) => {
    const found = all.find((repository) => repository.name === name || repository.id === name);
    if (found !== undefined) return found;
    const message = `there is no searchable repository \`${shorten(name, maxRepeated)}\`${advice(
      name,
      all.map((repository) => repository.name),
    )}`;
    throw invalidField('repositories', message, `Repositories: ${message}`);
  });
}

function advice(wanted: string, names: readonly string[]): string {
  const suggestion = closestRepository(wanted, names);
  return suggestion === undefined
    ? '; list the repositories to see which exist.'
    : `; did you mean \`${suggestion}\`?`;
}
