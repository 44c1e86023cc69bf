import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findGithost, githostInWords, nextStepOf } from './remote-githost.ts';

export const githostStatusCommand = defineCommand({
  description:
    'Shows one connection. If its App is not installed yet, prints a new installation link, which replaces the former one.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: remoteFlags,
  examples: ['orgctx githost status work'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const githost = await findGithost(api, args.connection);
      const { text, ...step } = await nextStepOf(api, githost);
      return {
        json: { ...githost, ...step },
        text: `${githostInWords(githost, context.terminal.out)}\n${text}`,
      };
    }),
});
