import { stringify } from 'yaml';
import { visibleLine, visibleText } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import {
  connectionPath,
  findConnection,
  nextStepOf,
  pullInWords,
  remoteConnection,
  remotePullRequest,
} from './remote-connection.ts';
import { scopeFlags, scopeFrom } from './scope-flags.ts';

export const connectorScopeCommand = defineCommand({
  description:
    'Prints the scope of a connection as YAML. With a scope, opens a pull request that changes it; the new scope applies ' +
    'once it is merged.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: { ...remoteFlags, ...scopeFlags },
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const connection = await findConnection(api, args.connection);
      const { id, name, kind, binding } = connection;
      const scope = await scopeFrom(flags, kind, context);
      if (!binding) throw new UsageError(`${name} has no scope yet. ${nextStepOf(connection)}`);
      if (scope === undefined) {
        return { json: binding.scope, text: visibleText(stringify({ scope: binding.scope })).trimEnd() };
      }
      const { githostConnectionId, repository, branch } = binding;
      const body = { githostConnectionId, repository, branch, scope };
      await api.call({ method: 'PUT', path: `${connectionPath(id)}/binding`, body }, remoteConnection);
      const path = `${connectionPath(id)}/pull-request`;
      const pull = await api.call({ method: 'POST', path }, remotePullRequest);
      if (pull.state !== 'open') return { json: pull, text: pullInWords(name, pull) };
      const text = visibleLine(`Merge this pull request to change the scope: ${pull.url ?? ''}`);
      return { json: pull, text };
    }),
});
