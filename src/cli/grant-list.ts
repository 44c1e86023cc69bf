import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { grantList } from './grant-record.ts';
import { pageFlags, showPage } from './remote-page.ts';
import { remoteFlags } from './remote-target.ts';

export const grantListCommand = defineCommand({
  flags: { ...pageFlags, ...remoteFlags },
  run: ({ flags }, context) =>
    withApi(context, flags, (api) => showPage(api, grantList, flags, context.terminal)),
});
