import type { JobContext } from '../../../../foundation/jobs/handler.ts';
import type { OrgctxError } from '../../../../foundation/kernel/errors.ts';
import type { EntityStore } from '../../entities/open-entity-store.ts';
import type { AuthorizedConnection, ConnectorJobsDeps, SyncedConnection } from '../../port.ts';
import type { JobMirror } from '../../sync/change-mirror.ts';
import { refusalOf, saveRefusal } from '../../sync/refused-family.ts';
import { type OncallClient, openOncallClient } from '../client/oncall-client.ts';
import { isOncallError } from '../client/oncall-error.ts';
import { apiUrlOf, placeOf } from '../client/region.ts';
import { type OncallConfiguration, oncallConfigurationShape } from '../configuration.ts';
import { oncallRecords } from '../records/oncall-records.ts';
import { type OncallScope, scopeOf } from './oncall-scope.ts';

/** One run of a job with an open connection. */
export interface Session {
  readonly connection: SyncedConnection;
  readonly mirror: JobMirror;
  readonly configuration: OncallConfiguration;
  readonly client: OncallClient;
  readonly scope: OncallScope;
  /** Origin of the pages of the account. */
  readonly webOrigin: string;
  readonly context: JobContext;
  /** The families that the provider did not give out when they were last asked for. */
  readonly refused: ReadonlySet<string>;
  /** Maps the families that this job asked for to the error of a refused one, or to `undefined` if it is given out. */
  readonly learned: Map<string, OrgctxError | undefined>;
  /** Returns whether the job should end with what it has, so that jobs of the connection wait for a second at most. */
  isOver(): boolean;
}

/** Time after which a job leaves the rest to another one, in milliseconds. */
const sliceMs = 1_000;

export function openSession(
  deps: ConnectorJobsDeps,
  connection: SyncedConnection,
  context: JobContext,
  refused: ReadonlySet<string>,
): Session {
  const started = performance.now();
  const configuration = oncallConfigurationShape.parse(connection.configuration);
  return {
    connection,
    mirror: { database: deps.database, connectionId: connection.id, records: oncallRecords, context },
    configuration,
    client: clientOf(deps, connection),
    scope: scopeOf(configuration),
    webOrigin: connection.account.url ?? '',
    context,
    refused,
    learned: new Map(),
    isOver: () => performance.now() - started > sliceMs,
  };
}

/**
 * Reads one family. Returns `undefined` if the provider refuses it, while it answers `probe`.
 * @throws errors that concern more than the family, and answers that cannot be read
 */
export async function orRefused<T>(
  { client, context, refused, learned }: Session,
  family: string,
  read: () => Promise<T>,
  probe: () => Promise<unknown> = () => client.me(context.signal),
): Promise<T | undefined> {
  try {
    const result = await read();
    if (!learned.has(family)) learned.set(family, undefined);
    return result;
  } catch (error) {
    if (isOncallError(error, 'protocol') || isOncallError(error, 'too_large')) throw error;
    learned.set(family, await refusalOf(error, { context, isNoted: refused.has(family), probe }));
    return undefined;
  }
}

/** Saves what a job learned of families, in the transaction of its changes. */
export async function saveLearned({ tx, connectionId, now }: EntityStore, session: Session): Promise<void> {
  for (const [family, error] of session.learned) {
    if (error === undefined && !session.refused.has(family)) continue;
    await saveRefusal(tx, connectionId, family, error && { error, at: now });
  }
}

/** Opens the API of the region of an account. @throws InvalidInput if the settings no longer know its region */
export function clientOf(
  { http, values }: ConnectorJobsDeps,
  connection: AuthorizedConnection,
): OncallClient {
  const { region } = placeOf(connection.account.url ?? '', values);
  const accessToken = (signal: AbortSignal, refused?: string) => connection.accessToken(signal, refused);
  return openOncallClient({ apiUrl: apiUrlOf(region, values), http, accessToken });
}
