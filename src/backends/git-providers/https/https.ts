import { checkFields, hostUrl, printable } from '../host-fields.ts';
import {
  type GitHost,
  GitHostError,
  type GitProvider,
  type GitProviderField,
  type HostSettings,
} from '../port.ts';
import { unsupported, withoutApps } from '../unsupported.ts';

const fields: readonly GitProviderField[] = [
  {
    name: 'url',
    secret: false,
    required: true,
    description: 'URL of the Git host, such as https://gitlab.com',
  },
  { name: 'user', secret: false, required: true, description: 'user name for Git over https' },
  { name: 'token', secret: true, required: true, description: 'access token or password of that user' },
];

/** Any Git host over https, read only: it has no API that this program knows. */
export const https: GitProvider = {
  kind: 'https',
  product: 'Git over https',
  publicUrl: undefined,
  apiUrlOf: (url) => url,
  registration: undefined,
  can: { push: false, hooks: false, pullRequests: false, install: false, list: false },
  fields,
  parse(given): HostSettings {
    checkFields('https', fields, given);
    const url = hostUrl('url', given['url'] ?? '');
    const { user = '', token = '' } = given;
    return { url, apiUrl: url, user: printable('user', user), token: printable('token', token) };
  },
  open,
  hooks: undefined,
};

function open({ url, user = '', token = '' }: HostSettings): GitHost {
  const { host } = new URL(url);
  const noApi = unsupported(host, 'look into repositories: it has no API. Add them by URL');
  const noHooks = unsupported(host, 'add webhooks. Its repositories are read again at intervals');
  const noPullRequests = unsupported(host, 'open pull requests');
  return {
    account: async () => ({ id: `${user}@${host}`, name: user, url }),
    async credentials(access) {
      if (access === 'read') return { username: user, password: token };
      throw new GitHostError(
        host,
        'unsupported',
        'A Git-host connection of this kind is read only. Use one that can push.',
      );
    },
    listRepositories: noApi,
    findRepository: noApi,
    headOf: noApi,
    readFile: noApi,
    ensureHook: noHooks,
    removeHook: noHooks,
    findPullRequest: noPullRequests,
    openPullRequest: noPullRequests,
    reopenPullRequest: noPullRequests,
    comment: noPullRequests,
    ...withoutApps(host),
  };
}
