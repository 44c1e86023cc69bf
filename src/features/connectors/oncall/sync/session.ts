import type { AuthorizedConnection, ConnectorJobsDeps } from '../../port.ts';
import { isProviderError } from '../../sync/provider-error.ts';
import { openRefusals } from '../../sync/refusals.ts';
import { openSlice, type SyncJob } from '../../sync/source.ts';
import { type OncallClient, openOncallClient } from '../client/oncall-client.ts';
import { oncallConfigurationShape } from '../configuration.ts';
import { apiUrlOf, placeOf } from '../settings.ts';
import { scopeOf } from './oncall-scope.ts';

/** One run of a job with an open connection. */
export type Session = ReturnType<typeof openSession>;

export function openSession(deps: ConnectorJobsDeps, { connection, mirror, refused }: SyncJob) {
  const configuration = oncallConfigurationShape.parse(connection.configuration);
  const { context } = mirror;
  const client = clientOf(deps, connection, context.signal);
  return {
    mirror,
    configuration,
    client,
    scope: scopeOf(configuration),
    /** Origin of the pages of the account. */
    webOrigin: connection.account.url ?? '',
    refusals: openRefusals({
      context,
      refused,
      probe: client.me,
      isOther: (error) => isProviderError(error, 'protocol', 'too_large'),
    }),
    /** Returns whether the job should end with what it has, so that other jobs of the connection wait for a second. */
    isOver: openSlice(),
  };
}

/** Opens the API of the region of an account. @throws InvalidInput if the settings no longer know its region */
export function clientOf(
  { http, values }: ConnectorJobsDeps,
  connection: AuthorizedConnection,
  signal: AbortSignal,
): OncallClient {
  const { region } = placeOf(connection.account.url ?? '', values);
  const accessToken = (refused?: string) => connection.accessToken(signal, refused);
  return openOncallClient({ apiUrl: apiUrlOf(region, values), http, accessToken, signal });
}
