import { connectors } from '../../features/connectors/registry.ts';
import { githostSettings } from '../../foundation/config/settings/githost-settings.ts';
import type { SettingTable } from '../../foundation/config/settings/setting.ts';
import { oneOf } from '../../foundation/config/settings/setting-types.ts';
import { gitProviders } from './git-providers.ts';

/** The kinds that a deployment-wide Git host may have, the default first: those with an API. */
const githostKinds = gitProviders.filter(({ can }) => can.list).map(({ kind }) => kind);
const [defaultKind] = githostKinds;

/** The settings that the providers of this program declare or limit. */
export const providerSettings: SettingTable = Object.assign(
  {
    GITHOST_KIND: {
      ...githostSettings.GITHOST_KIND,
      type: oneOf(...githostKinds),
      fallback: defaultKind,
      defaultText: defaultKind,
    },
  },
  ...connectors.map(({ settings }) => settings.table),
);
