import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { findConnection } from './remote-connection.ts';
import { requireMode, setUp } from './set-up.ts';
import { setupFlags } from './setup-flags.ts';

export const connectorResumeCommand = defineCommand({
  description:
    'Goes on with the setup of a connection at the step where it stopped. Also authorizes a disconnected connection again.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: setupFlags,
  examples: ['orgctx connector resume product'],
  run: ({ args, flags }, context) => {
    requireMode(context, undefined);
    return withApi(context, flags, async (api) =>
      setUp(api, await findConnection(api, args.connection), flags, context),
    );
  },
});
