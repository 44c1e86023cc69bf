import type { Queries } from '../../foundation/db/database.ts';
import { checkedCommit } from '../../foundation/git/objects/commit-id.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { given } from '../../foundation/kernel/wire/given.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { type LineRange, parseLineRange } from '../../foundation/kernel/wire/line-range.ts';
import { listRepositoryNames, listSearchableNames } from '../repositories/repository-store.ts';
import { parsePlace, printAddress } from '../search/address.ts';
import { findSearchable } from '../search/find-repository.ts';
import { offerExisting } from '../search/offer-existing.ts';
import { sourcePath } from '../search/source-path.ts';
import type { HistoryDeps } from './history-deps.ts';
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
 * Returns the place of a request; undefined if it names none, which means all repositories. A path without its
 * repository is an address, as in `read_file`, unless there is only one repository.
 * @throws InvalidInput for a bad address, an address beside a repository or path, and lines without a path or twice;
 * NotFound for an unknown repository
 */
export async function historyPlace(
  deps: HistoryDeps,
  scope: OrgScope,
  { lines, ...input }: HistoryInput,
  signal: AbortSignal,
): Promise<HistoryPlace | undefined> {
  const place = await namedPlace(deps, scope, input, signal);
  if (lines === undefined) return place;
  if (place?.path === undefined) throw invalidField('lines', 'needs a path');
  if (place.lines !== undefined) throw invalidField('lines', 'are already in the address; leave those out');
  return { ...place, lines: parseLineRange(lines) };
}

/** Returns the place that an address names, or a path in its repository. */
async function namedPlace(
  deps: HistoryDeps,
  scope: OrgScope,
  { address, repository, path }: HistoryInput,
  signal: AbortSignal,
): Promise<HistoryPlace | undefined> {
  if (address !== undefined && (repository !== undefined || path !== undefined))
    throw invalidField('address', 'already names repository and path; leave those out');
  if (address !== undefined) return placeOfAddress(deps, scope, address, signal);
  if (repository === undefined && path === undefined) return undefined;
  const asked = repository ?? (await onlyRepository(deps.queries, scope));
  if (asked === undefined) return placeOfAddress(deps, scope, path ?? '', signal);
  const { id, name } = await findSearchable(deps.queries, scope, asked);
  return given({ id, name, path: (path && sourcePath(path)) || undefined });
}

/** Returns the name of the only repository; undefined if there are several or none. */
async function onlyRepository(queries: Queries, scope: OrgScope): Promise<string | undefined> {
  const [only, ...others] = await listSearchableNames(queries, scope);
  return others.length > 0 ? undefined : only;
}

async function placeOfAddress(
  deps: HistoryDeps,
  scope: OrgScope,
  address: string,
  signal: AbortSignal,
): Promise<HistoryPlace> {
  const { queries } = deps;
  const names = await listRepositoryNames(queries, scope);
  const place = await offerExisting(deps, scope, () => parsePlace(address, names), signal);
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
