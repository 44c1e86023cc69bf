import { connectors } from '../../features/connectors/registry.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { CommandResult } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { connectionInWords } from './connection-in-words.ts';
import { nextStepOf, type RemoteConnection } from './remote-connection.ts';
import { scopeFrom } from './scope-flags.ts';
import { setUpByFlags } from './set-up-by-flags.ts';
import type { SetupFlags, SetupResult } from './setup-flags.ts';
import { runWizard } from './wizard/run-wizard.ts';

/**
 * Requires that the questions can be asked, or that the caller expects none.
 * @throws UsageError naming the flags that answer them
 */
export function requireMode({ terminal }: CommandContext, kind: string | undefined): void {
  if (terminal.interactive || terminal.unattended) return;
  const scopes = connectors
    .filter((connector) => kind === undefined || connector.kind === kind)
    .flatMap(({ configuration }) => Object.keys(configuration.flags).map((name) => `--${name}`));
  throw new UsageError(
    'This command asks questions, but there is no terminal. Nothing was changed.',
    'Answer them with flags and --no-input: --client-id with --client-secret-file (unless the deployment has an app), ' +
      `--githost, --repository, and --scope or ${scopes.join(' or ')}. --wait waits for each step.`,
  );
}

/** Does the steps of the setup that are possible now: with questions on a terminal, otherwise by the flags. */
export async function setUp(
  api: ApiClient,
  connection: RemoteConnection,
  flags: SetupFlags,
  context: CommandContext,
): Promise<CommandResult> {
  const scope = await scopeFrom({ ...flags }, connection.kind, context);
  const given = { ...flags, chosenScope: scope };
  const work = context.terminal.interactive ? runWizard : setUpByFlags;
  return toResult(await work(api, connection, given, context), context);
}

function toResult(
  { connection, authorizationUrl, pullRequest }: SetupResult,
  { terminal }: CommandContext,
): CommandResult {
  const next =
    connection.state === 'draft' && authorizationUrl !== undefined
      ? `Open this address within 10 minutes, then run "orgctx connector resume ${connection.name}": ${authorizationUrl}`
      : nextStepOf(connection);
  const words = [connectionInWords(connection, terminal.out), visibleLine(next)];
  return {
    json: {
      connection,
      ...(authorizationUrl && { authorizationUrl }),
      ...(pullRequest && { pullRequest }),
    },
    text: words.filter(Boolean).join('\n'),
  };
}
