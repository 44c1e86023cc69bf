import { apiPath } from '../host-api.ts';
import { checkFields, hostUrl, printable } from '../host-fields.ts';
import type { GitHost, GitProvider, GitProviderDeps, GitProviderField, HostSettings } from '../port.ts';
import { withoutApps } from '../unsupported.ts';
import { openConnection } from './connection.ts';
import { giteaHooks } from './hooks.ts';
import { openPullRequests } from './pull-requests.ts';
import { giteaRegistration } from './registration.ts';
import { openRepositories } from './repositories.ts';
import { openRepositoryHooks } from './repository-hooks.ts';

const fields: readonly GitProviderField[] = [
  { name: 'url', secret: false, required: false, description: 'URL of the server; default GITHOST_URL' },
  {
    name: 'token',
    secret: true,
    required: true,
    description: 'access token of a bot account, with read:user, write:repository and write:issue',
  },
];

/** Gitea and Forgejo, through the token of a bot account. */
export const gitea: GitProvider = {
  kind: 'gitea',
  product: 'Gitea or Forgejo',
  publicUrl: undefined,
  apiUrlOf,
  registration: giteaRegistration,
  can: { push: true, hooks: true, pullRequests: true, install: false, list: true },
  fields,
  parse(given, deployment = {}): HostSettings {
    checkFields(
      'gitea',
      fields.map((field) =>
        field.name === 'url' ? { ...field, required: deployment.url === undefined } : field,
      ),
      given,
    );
    const url = hostUrl('url', given['url'] || (deployment.url ?? ''));
    const isDeployments = deployment.url !== undefined && url === hostUrl('url', deployment.url);
    const apiUrl = (isDeployments ? deployment.apiUrl : undefined) ?? apiUrlOf(url);
    return { url, apiUrl: hostUrl('url', apiUrl), token: printable('token', given['token'] ?? '') };
  },
  open,
  hooks: giteaHooks,
};

function apiUrlOf(url: string): string {
  return `${url}/api/v1`;
}

function open(settings: HostSettings, deps: GitProviderDeps): GitHost {
  const connection = openConnection(settings, deps);
  return {
    async account(signal) {
      const { id, login } = await connection.user(signal);
      return { id: String(id), name: login, url: `${settings.url}${apiPath(login)}` };
    },
    // Any user name goes with a token; the token itself decides about access.
    credentials: async () => ({ username: 'x-access-token', password: connection.token }),
    ...openRepositories(connection),
    ...openRepositoryHooks(connection),
    ...openPullRequests(connection),
    ...withoutApps(connection.host),
  };
}
