import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { requiredText } from './frame/parameters.ts';
import { noContent } from './remote-page.ts';
import { remoteFlags } from './remote-target.ts';

export const grantRemoveCommand = defineCommand({
  description:
    'Ends what you granted a client, with the next request. To act for you again, it must ask anew.',
  args: { id: requiredText('id', 'the id of the grant, as "grant list" shows it') },
  flags: remoteFlags,
  examples: ['orgctx grant remove 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10 --org acme'],
  run: ({ args: { id }, flags }, context) =>
    withApi(context, flags, async (api) => {
      await api.call({ method: 'DELETE', path: `/grants/${encodeURIComponent(id)}` }, noContent);
      return { json: { id, removed: true }, text: visibleLine(`The grant ${id} has ended.`) };
    }),
});
