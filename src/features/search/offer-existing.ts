import type { SourceReader } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { orUndefined } from '../../foundation/kernel/or-undefined.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { type Place, UnknownAddress } from './address.ts';
import { resolveSource } from './read-source.ts';

/** Maximum number of places that are looked up, and their time together. */
const max = { places: 8, ms: 2_000 } as const;

export interface OfferDeps {
  readonly sources: Pick<SourceReader, 'readFile' | 'listTree'>;
  readonly queries: Queries;
}

/**
 * Returns what `parse` returns. Where an address names no file of a repository, the error offers those of the places
 * that it may mean which exist: `flask/src/flask/app.py` for `src/flask/app.py`. A place that cannot be looked up is not
 * offered, because the address is the caller's error in any case.
 * @throws as `parse`
 */
export async function offerExisting<Parsed>(
  deps: OfferDeps,
  scope: OrgScope,
  parse: () => Parsed | Promise<Parsed>,
  signal: AbortSignal,
): Promise<Parsed> {
  try {
    return await parse();
  } catch (error) {
    if (!(error instanceof UnknownAddress)) throw error;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(max.ms)]);
    const noneUnlessAborted = orUndefined(() => !signal.aborted);
    const isFound = async (place: Place): Promise<boolean> =>
      (await exists(deps, scope, place, limited).catch(noneUnlessAborted)) ?? false;
    const possible = error.possible(max.places);
    const found = await Promise.all(possible.map(isFound));
    throw error.offering(possible.filter((_, at) => found[at]));
  }
}

/** Returns whether a repository, or its file or folder, exists. @throws as `resolveSource` */
async function exists(
  { sources, queries }: OfferDeps,
  scope: OrgScope,
  { lines, ...place }: Place,
  signal: AbortSignal,
): Promise<boolean> {
  const { request } = await resolveSource(queries, scope, place);
  if (request.path === '' && lines !== undefined) return false;
  const file = request.path === '' ? undefined : await sources.readFile(scope, request, signal);
  return (file ?? (await sources.listTree(scope, request, signal))) !== undefined;
}
