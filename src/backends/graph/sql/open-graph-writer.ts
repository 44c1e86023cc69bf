import { setImmediate as nextTick } from 'node:timers/promises';
import { sql } from 'kysely';
import type { DerivedDatabase } from '../../../foundation/db/derived/open-derived.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { GraphUnit, GraphWriter } from '../port.ts';
import { cleanFacts } from './clean-facts.ts';
import { graphQueries } from './graph-tables.ts';
import { type CleanUnit, deleteUnits, writeUnits } from './write-units.ts';

/** Maximum number of units and of facts in a transaction, which limits the time that other writers wait. */
const maxUnits = 200;
const maxFacts = 10_000;

export interface GraphWriterOptions {
  /** Keep the changes for Neo4j. Default: no. */
  readonly outbox?: boolean | undefined;
}

/**
 * Opens the writer. SQLite runs statements in this thread, so each transaction is followed by a turn of the event loop:
 * without it, a large repository would stop all other work of the process for minutes.
 */
export function openGraphWriter(
  database: DerivedDatabase,
  { outbox = false }: GraphWriterOptions = {},
): GraphWriter {
  const { tables } = graphQueries(database);
  const removeUnits = async ({ organizationId }: DataScope, owners: readonly string[]): Promise<void> => {
    const unique = [...new Set(owners)];
    for (let first = 0; first < unique.length; first += maxUnits) {
      const slice = unique.slice(first, first + maxUnits);
      await database.transaction((tx) =>
        deleteUnits(graphQueries(database, tx), slice, { organizationId, outbox }),
      );
      await nextTick();
    }
  };
  return {
    replaceUnits: async ({ organizationId }, units) => {
      const unique = [...new Map(units.map((unit) => [unit.owner, unit])).values()];
      let dropped = 0;
      for (const group of groups(unique)) {
        for (const { facts } of group) dropped += facts.dropped;
        await database.transaction((tx) =>
          writeUnits(graphQueries(database, tx), group, { organizationId, outbox }),
        );
        await nextTick();
      }
      return { dropped };
    },
    removeUnits,
    removeRepository: async (scope, repositoryId) => {
      for (;;) {
        const { rows } = await sql<{ owner: string }>`
          select owner from ${tables.units}
          where org_id = ${scope.organizationId} and repository_id = ${repositoryId} limit ${maxUnits}`.execute(
          database.queries,
        );
        if (rows.length === 0) return;
        await removeUnits(
          scope,
          rows.map(({ owner }) => owner),
        );
      }
    },
  };
}

/** Groups units into transactions. A unit with more facts than the maximum is a group of its own. */
function* groups(units: readonly GraphUnit[]): Generator<readonly CleanUnit[]> {
  let group: CleanUnit[] = [];
  let size = 0;
  for (const { facts, ...unit } of units) {
    const clean = cleanFacts(facts);
    const own = clean.nodes.length + clean.edges.length + clean.mentions.length;
    if (group.length > 0 && (group.length === maxUnits || size + own > maxFacts)) {
      yield group;
      [group, size] = [[], 0];
    }
    group.push({ ...unit, facts: clean });
    size += own;
  }
  if (group.length > 0) yield group;
}
