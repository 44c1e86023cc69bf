import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { listed } from '../../../../foundation/kernel/text/listed.ts';
import type { Facts } from '../../entities/entity.ts';
import { keyOf, readEntities } from '../../entities/entity-store.ts';
import type { ConnectionError, ConnectorJobsDeps, SyncedConnection } from '../../port.ts';
import { readSyncState } from '../../sync/compare.ts';
import { scopeUnknown } from '../../sync/source.ts';
import { type OncallConfiguration, oncallConfigurationShape } from '../configuration.ts';
import { oncallRecords, serviceKind } from '../records/records.ts';

/** The incidents that a configuration mirrors. */
interface OncallScope {
  readonly services: ReadonlySet<string>;
  has(facts: Facts): boolean;
}

export function scopeOf({ scope }: OncallConfiguration): OncallScope {
  const services = new Set(scope.services.map(({ id }) => id));
  const { since = '', statuses, urgencies } = scope;
  return {
    services,
    has({ service, created, status, urgency }) {
      // A mirrored service has no other facts.
      if (!services.has(String(service))) return false;
      return (
        (created === undefined || String(created) >= since) &&
        (status === undefined || allows(statuses, status)) &&
        (urgency === undefined || allows(urgencies, urgency))
      );
    },
  };
}

/** Returns whether a list allows a value. An empty one allows all. */
function allows(list: readonly string[], value: unknown): boolean {
  return list.length === 0 || list.includes(String(value));
}

const wideningShape = z.object({
  /** The services with incidents that were out of scope. */
  services: z.array(z.string()),
  /** Time before which those were created, if only older incidents were added. */
  until: z.number().optional(),
});

/** The additions of a new configuration to a former one. Removing something needs no requests. */
type Widening = z.output<typeof wideningShape>;

/**
 * Returns the services that a comparison reads, in their order, and the end of the range; `undefined` for the present
 * time. `added`: the widening that it reads.
 */
export function partOf(scope: OncallScope, added: unknown): Widening {
  return added === undefined ? { services: [...scope.services].toSorted() } : wideningShape.parse(added);
}

/** Returns what a configuration adds; `rendering` if the files themselves have another content. */
export function widenedBy(former: OncallConfiguration, next: OncallConfiguration): Widening | 'rendering' {
  if (!isDeepStrictEqual(next.content, former.content)) return 'rendering';
  const known = new Set(former.scope.services.map(({ id }) => id));
  const all = next.scope.services.map(({ id }) => id).toSorted();
  const added = all.filter((id) => !known.has(id));
  const isWider =
    admitsMore(former.scope.statuses, next.scope.statuses) ||
    admitsMore(former.scope.urgencies, next.scope.urgencies);
  if (isWider) return { services: all };
  const { since } = former.scope;
  if (since === undefined || (next.scope.since ?? '') >= since) return { services: added };
  return added.length > 0 ? { services: all } : { services: all, until: Date.parse(since) };
}

/** Returns whether a list of values admits more than a former one. An empty list admits everything. */
function admitsMore(former: readonly string[], next: readonly string[]): boolean {
  return former.length > 0 && (next.length === 0 || next.some((value) => !former.includes(value)));
}

/** Maximum number of services in a message. */
const maxNamed = 5;

/** Returns what a person must correct in the scope: services that the last sweep did not find. */
export async function missingServices(
  { database }: ConnectorJobsDeps,
  { id: connectionId, configuration }: SyncedConnection,
): Promise<ConnectionError | undefined> {
  const state = await readSyncState(database.queries, connectionId);
  if (state?.sweptAt === undefined || state.work !== undefined) return undefined;
  const { scope } = oncallConfigurationShape.parse(configuration);
  const services = scope.services.map(({ id }) => ({ kind: serviceKind, id }));
  const found = await readEntities({ tx: database.queries, connectionId }, services);
  const missing = services.filter((service) => !found.has(keyOf(service))).map(({ id }) => id);
  if (missing.length === 0) return undefined;
  return scopeUnknown(oncallRecords, `the account shows no service ${listed(missing, maxNamed)}`);
}
