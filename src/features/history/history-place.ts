import type { Queries } from '../../foundation/db/database.ts';
import { checkedCommit } from '../../foundation/git/objects/commit-id.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { given } from '../../foundation/kernel/wire/given.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import type { LineRange } from '../../foundation/kernel/wire/line-range.ts';
import { listRepositoryNames, listSearchableNames } from '../repositories/repository-store.ts';
import { parsePlace, printAddress } from '../search/address.ts';
import { findSearchable } from '../search/find-repository.ts';
import { sourcePath } from '../search/source-path.ts';
import type { HistoryInput } from './history-request.ts';

/** The repository, or a file, folder or lines of it, whose history is asked for. */
export interface HistoryPlace {
  readonly id: RepositoryId;
  readonly name: string;
  readonly path?: string;
  readonly commit?: string;
  readonly lines?: LineRange;
}

/** Prints a place as the surfaces take it. */
export function printPlace({ name, path = '', commit, lines }: HistoryPlace): string {
  return printAddress(given({ repository: name, path, commit, lines }));
}

/**
 * Returns the place of a request; undefined if it names none, which means all repositories.
 * @throws InvalidInput for a bad address, and for a path without its repository; NotFound for an unknown repository
 */
export async function historyPlace(
  queries: Queries,
  scope: OrgScope,
  { address, repository, path }: HistoryInput,
): Promise<HistoryPlace | undefined> {
  if (address !== undefined) return placeOfAddress(queries, scope, given({ address, repository, path }));
  if (repository === undefined && path === undefined) return undefined;
  const inside = path === undefined ? '' : sourcePath(path);
  const asked = repository ?? (await onlyRepository(queries, scope, inside));
  const { id, name } = await findSearchable(queries, scope, asked);
  return given({ id, name, path: inside || undefined });
}

/** Returns the name of the only repository. @throws InvalidInput if there are several or none */
async function onlyRepository(queries: Queries, scope: OrgScope, path: string): Promise<string> {
  const names = await listSearchableNames(queries, scope);
  const [only, ...others] = names;
  if (only === undefined || others.length > 0) throw withoutRepository(path, names);
  return only;
}

async function placeOfAddress(
  queries: Queries,
  scope: OrgScope,
  { address, repository, path }: HistoryInput & { readonly address: string },
): Promise<HistoryPlace> {
  if (repository !== undefined || path !== undefined)
    throw invalidField('address', 'already names repository and path; leave those out');
  const names = await listRepositoryNames(queries, scope);
  const place = parsePlace(address, names);
  const { id, name } = await findSearchable(queries, scope, place.repository);
  const { commit, lines } = place;
  return given({
    id,
    name,
    path: place.path || undefined,
    commit: commit === undefined ? undefined : checkedCommit(commit),
    lines,
  });
}

/** Maximum number of repositories that an error names. */
const maxNamed = 5;

function withoutRepository(path: string, names: readonly string[]): Error {
  const examples = names.slice(0, maxNamed).map((name) => `\`${printAddress({ repository: name, path })}\``);
  const advice = examples.length === 0 ? 'there are none yet' : `such as ${examples.join(', ')}`;
  return invalidField(
    'path',
    'names no repository',
    `The path names no repository: pass \`repository\`, or an address ${advice}.`,
  );
}
