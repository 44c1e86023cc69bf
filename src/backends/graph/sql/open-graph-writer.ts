import { setImmediate as nextTick } from 'node:timers/promises';
import type { DerivedDatabase } from '../../../foundation/db/derived/open-derived.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { GraphUnit, GraphWriter } from '../port.ts';
import { cleanFacts } from './clean-facts.ts';
import { type GraphQueries, graphQueries } from './graph-tables.ts';
import { type CleanUnit, deleteUnits, unitsOf, unitsOfRepository, writeUnits } from './write-units.ts';

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
  /** Removes the units that a transaction finds. Returns their number. */
  const remove = async (
    { organizationId }: DataScope,
    find: (graph: GraphQueries) => Promise<readonly number[]>,
  ): Promise<number> => {
    const count = await database.transaction(async (tx) => {
      const graph = graphQueries(database, tx);
      const ids = await find(graph);
      await deleteUnits(graph, ids, { organizationId, outbox });
      return ids.length;
    });
    await nextTick();
    return count;
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
    removeUnits: async (scope, owners) => {
      const unique = [...new Set(owners)];
      for (let first = 0; first < unique.length; first += maxUnits) {
        const slice = unique.slice(first, first + maxUnits);
        await remove(scope, (graph) => unitsOf(graph, scope.organizationId, slice));
      }
    },
    removeRepository: async (scope, repositoryId) => {
      const find = (graph: GraphQueries) =>
        unitsOfRepository(graph, scope.organizationId, repositoryId, maxUnits);
      while ((await remove(scope, find)) > 0);
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
