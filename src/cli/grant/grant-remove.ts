import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { noContent } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findGrant } from './remote-grant.ts';

export const grantRemoveCommand = defineCommand({
  description:
    'Revokes the grant of a client, effective from its next request. To act for you again, the client must ask again.',
  args: { id: requiredText('id', 'id of the grant, or its start, from "orgctx grant list"') },
  flags: remoteFlags,
  examples: ['orgctx grant remove 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, client } = await findGrant(api, args.id);
      await api.call({ method: 'DELETE', path: `/grants/${encodeURIComponent(id)}` }, noContent);
      return {
        json: { id, removed: true },
        text: visibleLine(`The grant of ${client.name} (${id}) is revoked.`),
      };
    }),
});
