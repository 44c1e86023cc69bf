import { Conflict, InvalidInput } from '../../../foundation/kernel/errors.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { segmentsOf } from '../../../foundation/kernel/wire/json-pointer.ts';
import type { CommandContext } from '../../frame/context.ts';
import type { ApiClient } from '../../remote/api-client.ts';
import { nextStepOf, type RemoteConnection, type RemotePullRequest } from '../remote-connection.ts';
import { saveGivenApp } from '../save-given-app.ts';
import type { GivenAnswers, SetupResult } from '../setup-flags.ts';
import { beginAuthorization, isUnauthorized, propose, readConnection } from '../setup-steps.ts';
import { waitForConnection, waits } from '../wait-for-connection.ts';
import { chooseBinding } from './choose-binding.ts';
import { openPrompts, type Prompts } from './prompts.ts';
import { registerApp } from './register-app.ts';

/** Lifetime of an authorization address (contract section 3), in milliseconds. */
const authorizationMs = 10 * 60_000;

/** Leads through the setup of a connection, from the step where it stopped. */
export async function runWizard(
  api: ApiClient,
  started: RemoteConnection,
  given: GivenAnswers,
  context: CommandContext,
): Promise<SetupResult> {
  const { terminal } = context;
  const prompts = openPrompts(context);
  terminal.note(
    visibleLine(`You can stop with Ctrl-C and go on later: "orgctx connector resume ${started.name}".`),
  );
  let connection = await saveGivenApp(api, started, given, context);
  if (!connection.appConfigured) connection = await registerApp(api, connection, prompts, context);
  if (isUnauthorized(connection)) connection = await authorize(api, connection, given, context);
  const pullRequest =
    connection.state === 'authorized' ? await proposeChosen(api, connection, given, prompts) : undefined;
  connection = await readConnection(api, connection);
  if (connection.state === 'awaiting_merge') {
    terminal.note(nextStepOf(connection));
    connection = await waitWith(api, connection, waits.merge, context);
  }
  if (connection.state === 'connected') {
    terminal.note(visibleLine(`${connection.name} is connected. Its records are being mirrored.`));
    connection = await waitWith(api, connection, waits.backfill, context);
  }
  return { connection, pullRequest };
}

async function waitWith(
  api: ApiClient,
  connection: RemoteConnection,
  hasEnded: (connection: RemoteConnection) => boolean,
  { terminal, signal }: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<RemoteConnection> {
  const progress = terminal.progress();
  try {
    return await waitForConnection(api, connection, hasEnded, (step) => progress.report(step), { signal });
  } finally {
    progress.end();
  }
}

/** Waits until the account is authorized. @throws an error with the name `TimeoutError` when the address has expired */
async function authorize(
  api: ApiClient,
  connection: RemoteConnection,
  given: GivenAnswers,
  { terminal, signal, ...context }: CommandContext,
): Promise<RemoteConnection> {
  await beginAuthorization(api, connection, given, { ...context, terminal, signal });
  const expired = AbortSignal.timeout(authorizationMs);
  const limited = AbortSignal.any([signal, expired]);
  try {
    return await waitWith(api, connection, waits.authorization, { terminal, signal: limited });
  } catch (error) {
    if (signal.aborted || !expired.aborted) throw error;
    throw new DOMException(
      `The account was not authorized within 10 minutes. Start again: "orgctx connector resume ${connection.name}".`,
      'TimeoutError',
    );
  }
}

/** Asks where to mirror and opens the pull request. What the service refuses is asked for again. */
async function proposeChosen(
  api: ApiClient,
  connection: RemoteConnection,
  given: GivenAnswers,
  prompts: Prompts,
): Promise<RemotePullRequest | undefined> {
  if (connection.binding) return propose(api, connection, undefined);
  let answers = given;
  for (;;) {
    const binding = await chooseBinding(api, connection, answers, prompts);
    if (binding === undefined) {
      prompts.warn('No Git host is connected. Connect one with "orgctx githost add <kind>", then go on.');
      return undefined;
    }
    try {
      return await propose(api, connection, binding);
    } catch (error) {
      if (!(error instanceof InvalidInput || error instanceof Conflict)) throw error;
      prompts.warn(error.message);
      if (!(await prompts.confirm('Choose again?'))) throw error;
      const chosenScope = concernsScope(error) ? undefined : binding.scope;
      answers = { ...given, githost: undefined, repository: undefined, branch: undefined, chosenScope };
    }
  }
}

function concernsScope(error: InvalidInput | Conflict): boolean {
  return error instanceof InvalidInput && error.errors.some(({ path }) => segmentsOf(path).includes('scope'));
}
