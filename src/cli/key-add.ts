import { z } from 'zod';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { requiredText, text } from './frame/parameters.ts';
import { keyRecord } from './key-record.ts';
import { remoteFlags } from './remote-target.ts';

const newKey = keyRecord.extend({ apiKey: z.string() });

export const keyAddCommand = defineCommand({
  description:
    'Makes an API key of yours, shown this once. It works in every organization that you are in; made after ' +
    '"orgctx login", in the organization of the login alone.',
  flags: {
    name: requiredText('name', 'what the key is for'),
    expiresIn: text('duration', 'such as 90d, 12h or 2w; without it the key lives until it is removed'),
    ...remoteFlags,
  },
  examples: ['orgctx key add --name laptop --expires-in 90d --org acme'],
  run: ({ flags: { name, expiresIn, ...flags } }, context) =>
    withApi(context, flags, async (api) => {
      const created = await api.call(
        { method: 'POST', path: '/api-keys', body: { name, expiresIn } },
        newKey,
      );
      if (!context.terminal.json) {
        context.terminal.note(visibleLine(`Key ${created.id} (${created.prefix}…); it is shown this once:`));
      }
      return { json: created, text: visibleLine(created.apiKey) };
    }),
});
