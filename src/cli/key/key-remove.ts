import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { noContent } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findKey } from './remote-key.ts';

export const keyRemoveCommand = defineCommand({
  description: 'Revokes one of your API keys, effective from the next request.',
  args: { key: requiredText('key', 'id of the key, or its prefix from "orgctx key list"') },
  flags: remoteFlags,
  examples: ['orgctx key remove 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10'],
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
