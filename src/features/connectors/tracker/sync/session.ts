import type { ConnectionId } from '../../../../foundation/kernel/ids.ts';
import type { ConnectionError, ConnectorJobsDeps, SyncedConnection } from '../../port.ts';
import type { JobMirror } from '../../sync/change-mirror.ts';
import { openRefusals, type Refusals } from '../../sync/refusals.ts';
import type { SyncJob } from '../../sync/source.ts';
import { createRateBudget, type RateBudget } from '../client/rate-budget.ts';
import { openTrackerClient, type TrackerClient } from '../client/tracker-client.ts';
import { type TrackerConfiguration, trackerConfigurationShape } from '../configuration.ts';
import { trackerRecords } from '../kinds/records.ts';
import { providerUrl } from '../oauth/provider-urls.ts';
import type { AssetOptions } from '../render/addresses.ts';
import { missingTeams, resolveScope, type ScopeTeam, type TrackerScope } from './tracker-scope.ts';

/** One run of a job with an open connection. */
export interface Session {
  readonly connection: SyncedConnection;
  readonly mirror: JobMirror;
  readonly configuration: TrackerConfiguration;
  readonly rendering: AssetOptions;
  readonly client: TrackerClient;
  readonly signal: AbortSignal;
  readonly refusals: Refusals;
  /** Part of the provider's limits that its queries leave to more urgent jobs. */
  readonly reserve: number;
  /** Returns the teams that the account sees, read at most a minute ago and with `ids` among them if they exist. */
  teams(ids?: readonly string[]): Promise<readonly ScopeTeam[]>;
  /** Returns what a person must correct in the scope, by the teams that were read last. */
  scopeError(): ConnectionError | undefined;
  /** Returns the present scope, which knows the teams `ids`. */
  scope(ids?: readonly string[]): Promise<TrackerScope>;
}

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
export function sessionOpener({ clock, http, values }: ConnectorJobsDeps): (job: SyncJob) => Session {
  const remembered = new Map<ConnectionId, Remembered>();

  return ({ connection, mirror, context, refused, isComparison }) => {
    const { signal } = context;
    const reserve = isComparison ? comparisonReserve : 0;
    const { id: connectionId } = connection;
    const memory = remembered.get(connectionId) ?? { budget: createRateBudget(clock) };
    remembered.set(connectionId, memory);
    const configuration = trackerConfigurationShape.parse(connection.configuration);
    const client = openTrackerClient({
      apiUrl: providerUrl(values, 'TRACKER_API_URL'),
      http,
      budget: memory.budget,
      accessToken: (former) => connection.accessToken(signal, former),
      maxWaitSeconds,
      onFailure: (kind, error) => void failed.set(error as object, kind),
    });
    const scope = async (ids?: readonly string[]) => resolveScope(configuration, await teams(ids));
    let isFresh = false;
    const failed = new WeakMap<object, string>();

    async function readTeams(): Promise<readonly ScopeTeam[]> {
      const { items: list } = await client.listAll('team', {}, { signal, reserve });
      memory.teams = { list, at: clock() };
      isFresh = true;
      return list;
    }

    async function teams(ids: readonly string[] = []): Promise<readonly ScopeTeam[]> {
      const known = memory.teams;
      if (known === undefined || clock() - known.at >= teamsMs) return readTeams();
      const has = new Set(known.list.map(({ id }) => id));
      return isFresh || ids.every((id) => has.has(id)) ? known.list : readTeams();
    }

    return {
      connection,
      mirror,
      configuration,
      rendering: {
        uploadsOrigin: new URL(providerUrl(values, 'TRACKER_UPLOADS_URL')).origin,
        uploads: configuration.assets.uploads,
        embedded: configuration.assets.embedded,
      },
      client,
      signal,
      refusals: openRefusals({
        context,
        refused,
        async probe() {
          await client.viewer({ signal, reserve });
          await scope();
        },
        familyOf: (error) => failed.get(error as object),
      }),
      reserve,
      teams,
      scopeError: () => {
        const missing = memory.teams && missingTeams(configuration, memory.teams.list);
        if (missing === undefined) return undefined;
        const message = `A part of the scope is not mirrored: ${missing}. Correct ${trackerRecords.root}/config.yaml, or give the authorized user access.`;
        return { code: 'scope_unknown', message };
      },
      scope,
    };
  };
}
