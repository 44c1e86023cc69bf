import type { ConnectionId } from '../../../../foundation/kernel/ids.ts';
import type { ConnectionError, ConnectorJobsDeps } from '../../port.ts';
import { openRefusals } from '../../sync/refusals.ts';
import { openSlice, type SyncJob, scopeUnknown } from '../../sync/source.ts';
import { createRateBudget, type RateBudget } from '../client/send-query.ts';
import { type ListRequest, openTrackerClient } from '../client/tracker-client.ts';
import { trackerConfigurationShape } from '../configuration.ts';
import { trackerRecords } from '../kinds/kinds.ts';
import { team } from '../kinds/team.ts';
import type { TrackerKind } from '../kinds/tracker-kind.ts';
import type { AssetOptions } from '../render/render-entity.ts';
import { providerUrl, uploadsOriginOf } from '../settings.ts';
import { missingTeams, resolveScope, type ScopeTeam } from './tracker-scope.ts';

/** One run of a job with an open connection. */
export type Session = ReturnType<ReturnType<typeof sessionOpener>>;

/** The state of a connection that a process keeps. */
interface Remembered {
  /** The limits are those of the account, so that all jobs of a connection share one budget. */
  readonly budget: RateBudget;
  teams?: { readonly list: readonly ScopeTeam[]; readonly at: number };
}

/** Lifetime of the list of teams, in milliseconds. A backfill would read it for each page. */
const teamsMs = 60_000;
/** A job whose queries would wait longer gives its slot back, in seconds. */
const maxWaitSeconds = 10;
/** Part of the provider's limits that a comparison leaves to edits. */
const comparisonReserve = 0.2;

/** Returns a function that opens a connection for a job of this process. */
export function sessionOpener({ clock, http, values }: ConnectorJobsDeps) {
  const remembered = new Map<ConnectionId, Remembered>();

  return ({ connection, mirror, refused, isComparison }: SyncJob) => {
    const { connectionId, context } = mirror;
    const memory = remembered.get(connectionId) ?? { budget: createRateBudget(clock) };
    remembered.set(connectionId, memory);
    const configuration = trackerConfigurationShape.parse(connection.configuration);
    const { uploads, embedded } = configuration.assets;
    const kindOfFailure = new WeakMap<object, string>();
    const client = openTrackerClient({
      apiUrl: providerUrl(values, 'TRACKER_API_URL'),
      http,
      budget: memory.budget,
      accessToken: (former) => connection.accessToken(context.signal, former),
      signal: context.signal,
      reserve: isComparison ? comparisonReserve : 0,
      maxWaitSeconds,
      onFailure: (kind, error) => void kindOfFailure.set(error as object, kind),
    });
    const isOver = openSlice();
    let isFresh = false;
    let ahead: { kind: TrackerKind; cursor: string; page: ReturnType<typeof client.list> } | undefined;

    /** Returns the teams that the account sees: read at most a minute ago, and with `ids` among them if they exist. */
    const teams = async (ids: readonly string[] = []): Promise<readonly ScopeTeam[]> => {
      const { list, at } = memory.teams ?? { list: [], at: Number.NEGATIVE_INFINITY };
      const known = new Set(list.map(({ id }) => id));
      if (clock() - at < teamsMs && (isFresh || ids.every((id) => known.has(id)))) return list;
      memory.teams = { list: await client.listAll(team, {}), at: clock() };
      isFresh = true;
      return memory.teams.list;
    };

    /** Returns the present scope, which knows the teams `ids`. */
    const scope = async (ids?: readonly string[]) => resolveScope(configuration, await teams(ids));

    return {
      connection,
      mirror,
      configuration,
      rendering: { uploadsOrigin: uploadsOriginOf(values), uploads, embedded } satisfies AssetOptions,
      client,
      refusals: openRefusals({
        context,
        refused,
        probe: async () => {
          await client.viewer();
          await scope();
        },
        familyOf: (error) => kindOfFailure.get(error as object),
      }),
      teams,
      scope,

      /** Returns a page of a list: the one that `readAhead` began to read, or reads it. */
      list(kind: TrackerKind, { filter, cursor }: ListRequest) {
        const begun = ahead;
        ahead = undefined;
        const isBegun = begun?.kind === kind && begun.cursor === cursor;
        return isBegun ? begun.page : client.list(kind, { filter, cursor });
      },

      /** Begins to read a page for the next call of `list`. Returns false if another job should read it. */
      readAhead(kind: TrackerKind, { filter, cursor }: ListRequest): boolean {
        // Failures of different pages are no attempts of one job.
        if (cursor === undefined || context.attempt > 1 || isOver()) return false;
        const page = client.list(kind, { filter, cursor });
        // `list` reports its error. Without a handler until then, it would end the process.
        page.catch(() => undefined);
        ahead = { kind, cursor, page };
        return true;
      },

      /** Returns what a person must correct in the scope, by the teams that were read last. */
      scopeError(): ConnectionError | undefined {
        const missing = memory.teams && missingTeams(configuration, memory.teams.list);
        return missing === undefined ? undefined : scopeUnknown(trackerRecords, missing);
      },
    };
  };
}
