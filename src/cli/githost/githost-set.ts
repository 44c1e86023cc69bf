import { isReplaceable } from '../../features/githosts/githost-connection.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText, text } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { hostFlags, readFields, withFlags } from './githost-fields.ts';
import { findGithost, githostInWords, githostPath, nextStepOf, remoteGithost } from './remote-githost.ts';

export const githostSetCommand = defineCommand({
  description:
    'Renames a connection or replaces its credentials, for example an expired token. New credentials are checked at the ' +
    'host before they replace the old ones, and must be of the same account. Without a flag, a new token is read from stdin.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: {
    name: text('name', 'new name of the connection'),
    ...remoteFlags,
    ...hostFlags(({ name }) => isReplaceable(name)),
  },
  examples: [
    'orgctx githost set work --token-file token.txt',
    'orgctx githost set work --private-key-file key.pem',
  ],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, kind } = await findGithost(api, args.connection);
      const { name } = flags;
      const given = await readFields(kind, flags, context, () => false);
      const isEmpty = name === undefined && Object.keys(given).length === 0;
      const values = isEmpty ? await readFields(kind, flags, context, ({ required }) => required) : given;
      if (isEmpty && Object.keys(values).length === 0) {
        throw new UsageError(
          'Nothing to change was given.',
          'Give --name, --private-key-file or --webhook-secret-file.',
        );
      }
      const request = { method: 'PATCH', path: githostPath(id), body: { name, ...values } } as const;
      const changed = await api.call(request, remoteGithost).catch((error: unknown) => {
        throw withFlags(error, kind);
      });
      return {
        json: changed,
        text: `${githostInWords(changed, context.terminal.out)}\n${nextStepOf(changed).text}`,
      };
    }),
});
