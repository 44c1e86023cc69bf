import { defineCommand } from '../frame/command.ts';
import { requiredText, toggle } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findGithost, githostInWords, installStep, nextStepOf } from './remote-githost.ts';

export const githostStatusCommand = defineCommand({
  description: 'Shows one connection. With --link, makes a link to install its App.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: {
    ...remoteFlags,
    link: toggle(
      'print a new installation link, which works once within 10 minutes and replaces the former one',
    ),
  },
  examples: ['orgctx githost status work', 'orgctx githost status work --link'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const githost = await findGithost(api, args.connection);
      const { text, ...step } = flags.link ? await installStep(api, githost) : nextStepOf(githost);
      return {
        json: { ...githost, ...step },
        text: `${githostInWords(githost, context.terminal.out)}\n${text}`,
      };
    }),
});
