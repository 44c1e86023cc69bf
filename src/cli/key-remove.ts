import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { requiredText } from './frame/parameters.ts';
import { findKey } from './key-record.ts';
import { noContent } from './remote-page.ts';
import { remoteFlags } from './remote-target.ts';

export const keyRemoveCommand = defineCommand({
  description: 'Ends an API key of yours with the next request.',
  args: { key: requiredText('key', 'its id, or its first characters as "key list" shows them') },
  flags: remoteFlags,
  examples: ['orgctx key remove 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10 --org acme'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, name } = await findKey(api, args.key);
      await api.call({ method: 'DELETE', path: `/api-keys/${encodeURIComponent(id)}` }, noContent);
      return {
        json: { id, name, removed: true },
        text: visibleLine(`The key ${name} (${id}) no longer works.`),
      };
    }),
});
