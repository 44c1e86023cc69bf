import { secret, setting } from './setting.ts';
import { anyText, plainText, seconds, word } from './setting-types.ts';
import { httpUrl } from './url-types.ts';

/** Settings of the deployment-wide Git host, and the interval at which sources are checked. */
export const githostSettings = {
  /** `app/open/provider-settings.ts` limits it to the kinds that exist, and gives the URLs the defaults of the kind. */
  GITHOST_KIND: setting(word, 'kind of the deployment-wide Git host'),
  GITHOST_URL: setting(httpUrl, 'web URL of the Git host'),
  GITHOST_API_URL: setting(httpUrl, 'API URL of the Git host'),
  GITHOST_APP_ID: setting(plainText, 'id of the deployment-wide Git-host App'),
  GITHOST_APP_SLUG: setting(plainText, 'slug of the Git-host App, for its installation link'),
  GITHOST_APP_PRIVATE_KEY: secret(anyText, 'private key of the Git-host App, in PEM format'),
  GITHOST_WEBHOOK_SECRET: secret(plainText, 'webhook secret of the Git-host App'),
  SYNC_INTERVAL: setting(
    seconds(30),
    'interval between two checks of repositories, Git hosts and connectors, in seconds',
    {
      fallback: '900',
    },
  ),
} as const;
