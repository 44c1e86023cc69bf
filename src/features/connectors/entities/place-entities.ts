import { createHash } from 'node:crypto';
import type { EntityId } from '../port.ts';
import { inSlices, keyOf } from './entity-rows.ts';
import type { EntityStore } from './open-entity-store.ts';

/** An entity and the path that its record asks for. */
export interface Placement {
  readonly entity: EntityId;
  readonly wanted: string;
  /** The path of its file until now. */
  readonly former: string | undefined;
}

/**
 * Returns the path of each entity by `keyOf`. Of two entities that ask for one path, or for two that differ only in
 * case, the one that has it keeps it; the other gets a suffix made from its id.
 */
export async function placeEntities(
  store: EntityStore,
  placements: readonly Placement[],
): Promise<ReadonlyMap<string, string>> {
  const holders = await readHolders(
    store,
    placements.map(({ wanted }) => wanted.toLowerCase()),
  );
  const moved = new Set(
    placements.filter(({ wanted, former }) => former !== wanted).map(({ entity }) => keyOf(entity)),
  );
  const taken = new Map([...holders].filter(([, holder]) => !moved.has(holder)));
  const placed = new Map<string, string>();
  for (const { entity, wanted } of placements) {
    const key = keyOf(entity);
    const place = wanted.toLowerCase();
    const holder = taken.get(place);
    if (holder === undefined) taken.set(place, key);
    placed.set(key, holder === undefined || holder === key ? wanted : suffixed(wanted, entity));
  }
  return placed;
}

/** Returns which entity has each of the paths, which are in lower case. */
async function readHolders(
  { tx, connectionId }: EntityStore,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const holders = new Map<string, string>();
  for (const slice of inSlices(paths)) {
    const rows = await tx
      .selectFrom('entities')
      .select(['kind', 'id', 'path', 'wanted_path'])
      .where('connection_id', '=', connectionId)
      .where('wanted_path', 'in', slice)
      .execute();
    for (const row of rows) {
      if (row.wanted_path !== null && row.path?.toLowerCase() === row.wanted_path)
        holders.set(row.wanted_path, keyOf(row));
    }
  }
  return holders;
}

const suffixLength = 8;

function suffixed(path: string, entity: EntityId): string {
  const hash = createHash('sha256').update(keyOf(entity).toWellFormed()).digest('hex').slice(0, suffixLength);
  return path.replace(/(\.[a-z]+)$/u, `-${hash}$1`);
}
