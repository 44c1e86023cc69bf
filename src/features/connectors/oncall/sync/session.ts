import type { JobContext } from '../../../../foundation/jobs/handler.ts';
import type { AuthorizedConnection, ConnectorJobsDeps, SyncedConnection } from '../../port.ts';
import type { JobMirror } from '../../sync/change-mirror.ts';
import { type OncallClient, openOncallClient } from '../client/oncall-client.ts';
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
}

export function openSession(
  deps: ConnectorJobsDeps,
  connection: SyncedConnection,
  context: JobContext,
): Session {
  const configuration = oncallConfigurationShape.parse(connection.configuration);
  return {
    connection,
    mirror: { database: deps.database, connectionId: connection.id, records: oncallRecords, context },
    configuration,
    client: clientOf(deps, connection),
    scope: scopeOf(configuration),
    webOrigin: connection.account.url ?? '',
    context,
  };
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
