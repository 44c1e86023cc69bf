import { defineCommand } from '../frame/command.ts';
import { withApi } from '../remote/api-client.ts';
import { pageFlags, showPage } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { keyList } from './remote-key.ts';

export const keyListCommand = defineCommand({
  flags: { ...pageFlags, ...remoteFlags },
  run: ({ flags }, context) =>
    withApi(context, flags, (api) => showPage(api, keyList, flags, context.terminal)),
});
