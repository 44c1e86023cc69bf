import { connectorName } from '../../features/connectors/port.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { requiredChoice, text } from '../frame/parameters.ts';
import { type ApiClient, withApi } from '../remote/api-client.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { requireMode, setUp } from './set-up.ts';
import { setupFlags } from './setup-flags.ts';
import { createConnection, resumedConnection, unfinishedConnections } from './start-connection.ts';
import { chooseUnfinished } from './wizard/choose-unfinished.ts';

const kinds = connectors.map(({ kind }) => kind);

export const connectorAddCommand = defineCommand({
  description:
    'Connects an account of a provider, so that its records are mirrored into a repository. The steps are: create the ' +
    'connection, save an OAuth app (unless the deployment has one), authorize the account in a browser, choose the ' +
    'repository and the scope, merge the configuration pull request. On a terminal it asks for what the flags do not say ' +
    'and waits for each step; with --no-input each run does the steps that the flags allow. It can be interrupted at any ' +
    'time: run it again, or "orgctx connector resume <connection>", to go on.\n\n' +
    connectors
      .map((each) => `${connectorName(each)}: apps are registered at ${each.registration.page}`)
      .join('\n'),
  args: { kind: requiredChoice(kinds, 'kind of connector') },
  flags: {
    name: text('name', 'name of the connection; default: the kind'),
    resume: text('connection', 'continue with this connection: its name, id or start of the id'),
    ...setupFlags,
  },
  examples: kinds.flatMap((kind) => [
    `orgctx connector add ${kind}`,
    `orgctx connector add ${kind} --no-input --githost git --repository team/context --scope scope.yaml --wait`,
  ]),
  run: ({ args: { kind }, flags }, context) => {
    requireMode(context, kind);
    return withApi(context, flags, async (api) =>
      setUp(api, await startedConnection(api, kind, flags, context), flags, context),
    );
  },
});

/** Returns the connection to set up: the given one, an unfinished one, or a new draft. */
async function startedConnection(
  api: ApiClient,
  kind: string,
  { name, resume }: { readonly name: string | undefined; readonly resume: string | undefined },
  context: CommandContext,
): Promise<RemoteConnection> {
  if (resume !== undefined) return resumedConnection(api, kind, resume);
  const unfinished = await unfinishedConnections(api, kind);
  const named = unfinished.find((each) => each.name === (name ?? kind));
  if (name === undefined && context.terminal.interactive && unfinished.length > 0) {
    return chooseUnfinished(api, kind, unfinished, context);
  }
  return named ?? createConnection(api, kind, name);
}
