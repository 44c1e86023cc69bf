import type { CommandContext } from '../frame/context.ts';
import { readSecret } from '../frame/read-secret.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { ApiClient } from '../remote/api-client.ts';
import type { RemoteConnection } from './remote-connection.ts';
import type { GivenAnswers } from './setup-flags.ts';
import { saveApp } from './setup-steps.ts';

function isStdin(file: string | undefined): boolean {
  return file === undefined || file === '-';
}

/** Saves the OAuth app if the flags give one. */
export async function saveGivenApp(
  api: ApiClient,
  connection: RemoteConnection,
  { clientId, clientSecretFile, webhookSecretFile }: GivenAnswers,
  context: CommandContext,
): Promise<RemoteConnection> {
  if (clientId === undefined) {
    if (clientSecretFile === undefined && webhookSecretFile === undefined) return connection;
    throw new UsageError('A secret of an app needs --client-id.');
  }
  if (isStdin(clientSecretFile) && webhookSecretFile === '-') {
    throw new UsageError('Only one secret can be read from stdin. Give a file for the other.');
  }
  const secretIn = (flag: string, file: string | undefined): Promise<string> =>
    readSecret(context, { flag, file: isStdin(file) ? undefined : file });
  const clientSecret = await secretIn('--client-secret-file', clientSecretFile);
  const webhookSecret =
    webhookSecretFile === undefined ? undefined : await secretIn('--webhook-secret-file', webhookSecretFile);
  return saveApp(api, connection, { clientId, clientSecret, webhookSecret });
}
