import type { Queries } from '../../foundation/db/database.ts';
import { idsStartingWith } from '../../foundation/db/ids-starting-with.ts';
import type { Tables } from '../../foundation/db/tables.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { isUuid } from '../../foundation/kernel/ids.ts';
import { ambiguousId, mayStartId } from '../frame/lists/short-ids.ts';

/** A kind of record of this host whose ids are arguments. */
export interface HostRecords {
  readonly table: keyof Tables;
  readonly singular: string;
  readonly plural: string;
  /** The command that lists them. */
  readonly listedBy: string;
}

/** Enough to list the candidates, and to show that there are more. */
const maxCandidates = 6;

/**
 * Returns the complete ids of arguments, each of which is an id or the unique start of one. A complete id is returned
 * unchecked.
 * @throws NotFound, UsageError that lists the candidates
 */
export async function completeIds(
  queries: Queries,
  records: HostRecords,
  given: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const text of given) ids.push(await completeId(queries, records, text));
  return [...new Set(ids)];
}

export async function completeId(
  queries: Queries,
  { table, singular, plural, listedBy }: HostRecords,
  given: string,
): Promise<string> {
  if (isUuid(given)) return given;
  const found = mayStartId(given) ? await idsStartingWith(queries, table, given, maxCandidates) : [];
  const [id, ...others] = found;
  if (id === undefined) {
    throw new NotFound(
      `There is no ${singular} "${given}": no id is or starts with that. Run "${listedBy}" to see the ${plural} and their ids.`,
    );
  }
  if (others.length === 0) return id;
  throw ambiguousId(
    given,
    plural,
    found.map((candidate) => ({ id: candidate, label: '' })),
  );
}
