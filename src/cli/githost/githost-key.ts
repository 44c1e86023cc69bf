import { sshKeyRecord } from '../../features/githosts/githost-record.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { toggle } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { noContent } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { tolerant } from '../remote/tolerant.ts';

const path = '/githost/key';

export const githostKeyCommand = defineCommand({
  description:
    'Prints the public SSH key of the organization, and creates the key pair if there is none. Add it at the Git host, ' +
    'with read access, to repositories that are added by an ssh URL. The private key never leaves the service.',
  flags: { remove: toggle('delete the key pair instead'), ...remoteFlags },
  examples: ['orgctx githost key', 'orgctx githost key --remove'],
  run: ({ flags }, context) =>
    withApi(context, flags, async (api) => {
      if (flags.remove) {
        await api.call({ method: 'DELETE', path }, noContent);
        return { json: { removed: true }, text: 'The SSH key of the organization is deleted.' };
      }
      const key = await api.call({ method: 'PUT', path }, tolerant(sshKeyRecord));
      return { json: key, text: visibleLine(key.publicKey) };
    }),
});
