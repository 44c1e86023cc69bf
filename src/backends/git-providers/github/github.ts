import { createPrivateKey } from 'node:crypto';
import { checkFields, fieldError, hostUrl, printable, refuse } from '../host-fields.ts';
import type { GitHost, GitProvider, GitProviderDeps, GitProviderField, HostSettings } from '../port.ts';
import { openConnection } from './connection.ts';
import { githubHooks } from './hooks.ts';
import { openInstallations } from './installations.ts';
import { openPullRequests } from './pull-requests.ts';
import { githubRegistration } from './registration.ts';
import { openRepositories } from './repositories.ts';
import { openRepositoryHooks } from './repository-hooks.ts';

const cloudUrl = 'https://github.com';

const fields: readonly GitProviderField[] = [
  {
    name: 'url',
    secret: false,
    required: false,
    description: `URL of GitHub Enterprise; default GITHOST_URL, else ${cloudUrl}`,
  },
  {
    name: 'appId',
    secret: false,
    required: false,
    description: 'id of your own GitHub App; default GITHOST_APP_ID',
  },
  {
    name: 'privateKey',
    secret: true,
    required: false,
    description: 'private key of that App, in PEM format',
  },
  { name: 'webhookSecret', secret: true, required: false, description: 'webhook secret of that App' },
];

/** GitHub and GitHub Enterprise, through a GitHub App. */
export const github: GitProvider = {
  kind: 'github',
  product: 'GitHub',
  publicUrl: cloudUrl,
  apiUrlOf,
  registration: githubRegistration,
  can: { push: true, hooks: true, pullRequests: true, install: true, list: true },
  fields,
  parse,
  open,
  hooks: githubHooks,
};

function parse(
  given: Readonly<Record<string, string>>,
  deployment: Partial<HostSettings> = {},
): HostSettings {
  checkFields('github', fields, given);
  const { appId = '', privateKey = '', webhookSecret = '' } = given;
  const deploymentUrl = hostUrl('url', deployment.url ?? cloudUrl);
  const url = hostUrl('url', given['url'] || deploymentUrl);
  const isDeployments = url === deploymentUrl;
  const apiUrl = isDeployments ? hostUrl('url', deployment.apiUrl ?? apiUrlOf(url)) : apiUrlOf(url);
  if (appId === '' && privateKey === '')
    return deploymentApp({ url, apiUrl }, isDeployments ? deployment : {});
  refuse([
    ...(appId === '' ? [fieldError('appId', 'is required with a private key')] : []),
    ...(isRsaKey(privateKey)
      ? []
      : [fieldError('privateKey', 'must be the private RSA key of the App, in PEM format')]),
  ]);
  return {
    url,
    apiUrl,
    appId: printable('appId', appId),
    privateKey,
    ...(webhookSecret !== '' && { webhookSecret }),
  };
}

function deploymentApp(
  urls: Pick<HostSettings, 'url' | 'apiUrl'>,
  { appId, appSlug, privateKey, webhookSecret }: Partial<HostSettings>,
): HostSettings {
  if (appId === undefined || privateKey === undefined) {
    const message =
      'is required: this deployment has no GitHub App for this URL. Give the id and private key of your own, or have the operator set GITHOST_APP_ID and GITHOST_APP_PRIVATE_KEY';
    refuse([fieldError('appId', message)]);
  }
  return {
    ...urls,
    ...(appId !== undefined && { appId }),
    ...(appSlug !== undefined && { appSlug }),
    ...(privateKey !== undefined && { privateKey }),
    ...(webhookSecret !== undefined && { webhookSecret }),
    deploymentApp: true,
  };
}

/** Returns where GitHub, GitHub with data residency, and GitHub Enterprise Server have their API. */
function apiUrlOf(url: string): string {
  const { hostname } = new URL(url);
  const isCloud = hostname === 'github.com' || hostname.endsWith('.ghe.com');
  return isCloud ? `https://api.${hostname}` : `${url}/api/v3`;
}

function isRsaKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function open(settings: HostSettings, deps: GitProviderDeps): GitHost {
  const connection = openConnection(settings, deps);
  return {
    ...openInstallations(connection),
    ...openRepositories(connection),
    ...openRepositoryHooks(connection),
    ...openPullRequests(connection),
    async credentials(access, signal, repository, refused) {
      const limits = {
        ...(repository !== undefined && { repository_ids: [Number(repository.id)] }),
        permissions: { contents: access },
      };
      const password = await connection.installationToken(limits, signal, refused?.password);
      return { username: 'x-access-token', password };
    },
  };
}
