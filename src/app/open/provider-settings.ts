import { connectors } from '../../features/connectors/registry.ts';
import type { Config } from '../../foundation/config/config.ts';
import { githostSettings } from '../../foundation/config/settings/githost-settings.ts';
import type { SettingTable } from '../../foundation/config/settings/setting.ts';
import { oneOf } from '../../foundation/config/settings/setting-types.ts';
import { gitProviders } from './git-providers.ts';

/** The kinds that a deployment-wide Git host may have, the default first: those with an API. */
const githostKinds = gitProviders.filter(({ can }) => can.list);
const [defaultKind] = githostKinds;
const kindNames = githostKinds.map(({ kind }) => kind);

/** Returns the URLs of the deployment-wide Git host. They are unknown if its kind has no public service. */
export function githostUrls({ githost }: Config): { url: string | undefined; apiUrl: string | undefined } {
  const provider = githostKinds.find(({ kind }) => kind === githost.kind);
  const url = githost.url ?? provider?.publicUrl;
  return { url, apiUrl: url === undefined ? undefined : provider?.apiUrlOf(url) };
}

/** The settings that the providers of this program declare or limit. */
export const providerSettings: SettingTable = Object.assign(
  {
    GITHOST_KIND: {
      ...githostSettings.GITHOST_KIND,
      type: oneOf(...kindNames),
      fallback: defaultKind?.kind,
      defaultText: defaultKind?.kind,
    },
    GITHOST_URL: {
      ...githostSettings.GITHOST_URL,
      defaultText: `${defaultKind?.publicUrl} for ${defaultKind?.product}, else none`,
      derivedDefault: (config: Config) => githostUrls(config).url,
    },
    GITHOST_API_URL: {
      ...githostSettings.GITHOST_API_URL,
      defaultText: 'the API of GITHOST_URL',
      derivedDefault: (config: Config) => githostUrls(config).apiUrl,
    },
  },
  ...connectors.map(({ settings }) => settings.table),
);
