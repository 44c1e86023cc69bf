import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { keyList } from './key-record.ts';
import { pageFlags, showPage } from './remote-page.ts';
import { remoteFlags } from './remote-target.ts';

export const keyListCommand = defineCommand({
  flags: { ...pageFlags, ...remoteFlags },
  run: ({ flags }, context) =>
    withApi(context, flags, (api) => showPage(api, keyList, flags, context.terminal)),
});
