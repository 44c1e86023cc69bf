import type { AuthorizedConnection, ConnectorJobsDeps } from '../../port.ts';
import { openRefusals, type Refusals } from '../../sync/refusals.ts';
import type { SyncJob } from '../../sync/source.ts';
import { type OncallClient, openOncallClient } from '../client/oncall-client.ts';
import { isOncallError } from '../client/oncall-error.ts';
import { apiUrlOf, placeOf } from '../client/region.ts';
import { type OncallConfiguration, oncallConfigurationShape } from '../configuration.ts';
import { type OncallScope, scopeOf } from './oncall-scope.ts';

/** One run of a job with an open connection. */
export interface Session extends Pick<SyncJob, 'connection' | 'mirror' | 'context'> {
  readonly configuration: OncallConfiguration;
  readonly client: OncallClient;
  readonly scope: OncallScope;
  /** Origin of the pages of the account. */
  readonly webOrigin: string;
  readonly refusals: Refusals;
  /** Returns whether the job should end with what it has, so that jobs of the connection wait for a second at most. */
  isOver(): boolean;
}

/** Time after which a job leaves the rest to another one, in milliseconds. */
const sliceMs = 1_000;

export function openSession(
  deps: ConnectorJobsDeps,
  { connection, mirror, context, refused }: SyncJob,
): Session {
  const started = performance.now();
  const configuration = oncallConfigurationShape.parse(connection.configuration);
  const client = clientOf(deps, connection);
  return {
    connection,
    mirror,
    configuration,
    client,
    scope: scopeOf(configuration),
    webOrigin: connection.account.url ?? '',
    context,
    refusals: openRefusals({
      context,
      refused,
      probe: () => client.me(context.signal),
      isOther: (error) => isOncallError(error, 'protocol') || isOncallError(error, 'too_large'),
    }),
    isOver: () => performance.now() - started > sliceMs,
  };
}

/**
 * Reads one family. Returns `undefined` if the provider refuses it, while it answers `probe`.
 * @throws errors that concern more than the family, and answers that cannot be read
 */
export async function orRefused<T>(
  { refusals }: Session,
  family: string,
  read: () => Promise<T>,
  probe?: () => Promise<unknown>,
): Promise<T | undefined> {
  const readGiven = async () => {
    const result = await read();
    refusals.given(family);
    return result;
  };
  return refusals.orRefused(family, readGiven, probe);
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
