import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { CommandContext } from '../frame/context.ts';
import { UsageError } from '../frame/usage-error.ts';
import { findGithost } from '../githost/remote-githost.ts';
import type { ApiClient } from '../remote/api-client.ts';
import {
  nextStepOf,
  type RemoteConnection,
  type RemotePullRequest,
  registrationOf,
} from './remote-connection.ts';
import { saveGivenApp } from './save-given-app.ts';
import type { GivenAnswers, SetupResult } from './setup-flags.ts';
import { beginAuthorization, isUnauthorized, propose, readConnection } from './setup-steps.ts';
import { waitForConnection, waits } from './wait-for-connection.ts';

/** Does the steps that the flags allow, without questions. */
export async function setUpByFlags(
  api: ApiClient,
  started: RemoteConnection,
  given: GivenAnswers,
  context: CommandContext,
): Promise<SetupResult> {
  let connection = await saveGivenApp(api, started, given, context);
  let authorizationUrl: string | undefined;
  const wait = async (step: keyof typeof waits): Promise<void> => {
    const progress = context.terminal.progress();
    try {
      connection = await waitForConnection(
        api,
        connection,
        waits[step],
        (each) => progress.report(each),
        context,
      );
    } finally {
      progress.end();
    }
  };
  if (isUnauthorized(connection)) {
    if (!connection.appConfigured) throw needsApp(connection);
    authorizationUrl = await beginAuthorization(api, connection, given, context);
    if (given.wait) await wait('authorization');
  }
  const pullRequest = await proposeGiven(api, connection, given);
  connection = await readConnection(api, connection);
  if (given.wait && connection.state === 'awaiting_merge') {
    context.terminal.note(nextStepOf(connection));
    await wait('merge');
  }
  if (given.wait && connection.state === 'connected') await wait('backfill');
  return { connection, authorizationUrl, pullRequest };
}

function needsApp(connection: RemoteConnection): UsageError {
  const { name, kind, state } = connection;
  const saved =
    state === 'draft' ? `The connection ${name} is saved as a draft, but neither it` : `Neither ${name}`;
  return new UsageError(
    visibleLine(`OAuth is not configured. ${saved} nor this service has an app of ${kind}.`),
    visibleLine(`${registrationOf(connection)} To delete it: "orgctx connector remove ${name} --yes".`),
  );
}

/** Opens the configuration pull request if the account is authorized and the flags say where. */
async function proposeGiven(
  api: ApiClient,
  connection: RemoteConnection,
  { githost, repository, branch, chosenScope: scope }: GivenAnswers,
): Promise<RemotePullRequest | undefined> {
  if (isUnauthorized(connection)) return undefined;
  const missing = [
    ...(githost === undefined ? ['--githost'] : []),
    ...(repository === undefined ? ['--repository'] : []),
    ...(scope === undefined ? ['a scope'] : []),
  ];
  if (missing.length === 3) return undefined;
  if (githost === undefined || repository === undefined || scope === undefined) {
    throw new UsageError(`Missing: ${missing.join(' and ')}.`);
  }
  const githostConnectionId = (await findGithost(api, githost)).id;
  return propose(api, connection, { githostConnectionId, repository, branch, scope });
}
